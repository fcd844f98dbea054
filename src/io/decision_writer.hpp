// Decisions to files or other places, one sample after the other.
//
// csv and JSON lines carry the core of a decision and its method's evidence under the names that
// the method declares, so that it can be explained later. A value that was not computed is empty
// (csv) or null (JSON lines). The order of columns: sequence, sample, verdict, category, name; the
// evidence that is a choice; score, threshold, runner_up; the other evidence; prototype.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/decided_sample.hpp"
#include "paco/method.hpp"

namespace paco::io {

// The first line of a csv file, without its newline.
std::string decision_columns(const MethodInfo& method);

// One decision as a line, with its newline. `further`: more columns, each with a comma before it.
void append_csv(std::string& text, const DecidedSample& sample, const MethodInfo& method,
                std::string_view further = "");
void append_json(std::string& text, const DecidedSample& sample, const MethodInfo& method);

// Writes decisions one after another, to NAME.part until finish() (core/partial_file.hpp), or to a
// sink.
class DecisionWriter {
 public:
  virtual ~DecisionWriter() = default;
  // `further`: the text of the further columns of a csv file, one text for each sample; may be
  // empty.
  virtual Result<void> write(std::span<const DecidedSample> samples,
                             std::span<const std::string> further) = 0;
  Result<void> write(std::span<const DecidedSample> samples) { return write(samples, {}); }
  // Syncs everything so far to the disk, as a valid file of `written` bytes.
  virtual Result<std::uint64_t> sync() = 0;
  virtual Result<void> finish() = 0;
  virtual void discard() = 0;
};

// The format follows from the name: .csv, .jsonl or .npy (format.hpp). `length`: continues after
// that many bytes of an earlier run. `further`: the names of additional columns of a csv file, each
// with a comma before it.
Result<std::unique_ptr<DecisionWriter>> make_decision_writer(
    const std::string& path, const MethodInfo& method,
    std::optional<std::uint64_t> length = std::nullopt, std::string further = "");
// JSON lines to a sink, e.g. standard output.
std::unique_ptr<DecisionWriter> make_json_line_writer(
    std::function<Result<void>(std::string_view)> sink, const MethodInfo& method);

}  // namespace paco::io
