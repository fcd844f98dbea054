// Decisions on disk: csv, JSON lines, or npy with the category ids alone.
//
// csv and JSON lines carry the core of a decision and its method's evidence under the names that
// the method declares, so that it can be explained later. A value that was not computed is empty
// (csv) or null (JSON lines). The order of columns: sequence, sample, verdict, category, name; the
// evidence that is a choice; score, threshold, runner_up; the other evidence; prototype.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/partial_file.hpp"
#include "io/decision_reader.hpp"
#include "paco/method.hpp"

namespace paco::io {

enum class DecisionFormat : std::uint8_t { csv, jsonl, npy };

// By extension: .csv, .jsonl or .npy.
Result<DecisionFormat> decision_format(const std::string& path);

// The first line of a csv file, without its newline.
std::string decision_columns(const MethodInfo& method);

// A decided sample, as files have it.
struct DecidedSample {
  Decision decision;
  std::string sample;   // as the input named it
  std::string name;     // of the category that was answered
  std::string further;  // more columns of a csv file, each with a comma before it; or empty
};

// One decision as a line, with its newline.
void append_csv(std::string& text, const DecidedSample& sample, const MethodInfo& method);
void append_json(std::string& text, const DecidedSample& sample, const MethodInfo& method);

// Decisions as they come, into NAME.part until finish() (core/partial_file.hpp), or to a sink.
class DecisionWriter {
 public:
  virtual ~DecisionWriter() = default;
  virtual Result<void> write(std::span<const DecidedSample> samples) = 0;
  // Everything so far is on the disk, and is a proper file of `written` bytes.
  virtual Result<std::uint64_t> sync() = 0;
  virtual Result<void> finish() = 0;
  virtual void discard() = 0;
};
// `length`: goes on after that many bytes of an earlier run. `further`: names of more columns of a
// csv file, each with a comma before it.
Result<std::unique_ptr<DecisionWriter>> make_decision_writer(
    const std::string& path, const MethodInfo& method,
    std::optional<std::uint64_t> length = std::nullopt, std::string further = "");
// JSON lines to a sink, e.g. standard output.
std::unique_ptr<DecisionWriter> make_json_line_writer(
    std::function<Result<void>(std::string_view)> sink, const MethodInfo& method);

// All of a file at once; decision_reader.hpp reads row by row.
struct DecisionTable {
  using Field = DecisionField;
  std::vector<Field> fields;  // what evidence the file has; place i of Decision::evidence
  std::vector<Decision> decisions;
  std::vector<std::string> samples;  // ids as the input gave them
  std::vector<std::string> names;    // of the categories decided for
  bool detailed = true;              // false: from npy, only sequence and category are known

  // Place of a field, or -1.
  int field(std::string_view name) const;
  // A decision with its evidence in the order of this method's fields.
  Decision as_of(const MethodInfo& method, std::size_t row) const;
};

// The method that wrote a file, by the evidence it has: the model's own where that fits, else one
// that the model was calibrated for.
Result<std::string> method_of(const DecisionTable& table, const Model& model);

Result<DecisionTable> read_decisions(const std::string& path);
// From bytes; `name` stands for the path in error texts.
Result<DecisionTable> parse_decisions(std::span<const std::byte> bytes, const std::string& name);

}  // namespace paco::io
