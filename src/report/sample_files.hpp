// Reads the samples of a run from its files, row by row: the decisions and, if there is one, the
// trace.
//
// Neither file is kept in memory. A row of the decisions and a row of the trace belong together if
// they have the same position. So if there is a trace, the decisions must be in the order of their
// arrival numbers; the caller checks that. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/decision_reader.hpp"
#include "io/trace_file.hpp"
#include "paco/method.hpp"
#include "report/report.hpp"

namespace paco::report {

struct SampleFiles {
  std::string decisions;
  std::string trace;                   // may be empty
  const MethodInfo* method = nullptr;  // whose fields the evidence has; null: fields of the file

  // True if both are files on disk, so that a second read gives the same content.
  bool can_be_read_again() const;
};

class SampleReader {
 public:
  static Result<SampleReader> start(io::DecisionReader decisions, const SampleFiles& files);

  const std::vector<ReportField>& fields() const { return fields_; }
  // Bytes of the decisions that have not been read yet, if that is known.
  std::optional<std::uint64_t> left() const { return decisions_.left(); }

  // Reads the next decision in the order of the file; returns false at the end.
  Result<bool> next(ReportSample& sample);
  // Adds the data of the trace's next row to this sample.
  Result<void> join(ReportSample& sample);
  // Skips a row of both files; returns false at the end.
  Result<bool> skip();
  // Fails if the trace does not belong to the samples read so far.
  Result<void> agreed() const;
  // The same after the last sample; the trace must also end there.
  Result<void> finish();

 private:
  SampleReader(io::DecisionReader decisions, SampleFiles files)
      : decisions_(std::move(decisions)), files_(std::move(files)) {}
  void name_fields();
  Result<void> open_trace();

  io::DecisionReader decisions_;
  SampleFiles files_;
  std::vector<ReportField> fields_;
  std::vector<std::size_t> places_;  // place of each field in the decisions file, or past its end
  std::optional<io::TraceReader> trace_;
  std::vector<std::size_t> traced_;  // for each field of the trace, its place in fields_
  io::TraceRow trace_row_;
  std::size_t samples_ = 0;     // read or skipped
  std::size_t trace_rows_ = 0;  // read
  std::optional<Error> other_sample_;
};

// Reads the files again in every call.
class SamplesOfFiles final : public ReportSamples {
 public:
  explicit SamplesOfFiles(SampleFiles files) : files_(std::move(files)) {}
  Result<std::vector<ReportSample>> pick(std::span<const std::size_t> places) const override;

 private:
  SampleFiles files_;
};

}  // namespace paco::report
