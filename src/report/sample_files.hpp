// The samples of a run from its files, row by row: the decisions, and beside them the trace if
// there is one.
//
// Neither file is held in memory. Rows of the two belong together by their place, so the decisions
// have to come in the order of their arrival numbers if there is a trace; whether they do is for
// the caller to see. One thread at a time.
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
  const MethodInfo* method = nullptr;  // whose fields the evidence has; none: those of the file

  // Whether both are files on the disk, that a second reader finds as the first did.
  bool can_be_read_again() const;
};

class SampleReader {
 public:
  static Result<SampleReader> start(io::DecisionReader decisions, const SampleFiles& files);

  const std::vector<ReportField>& fields() const { return fields_; }
  // Bytes of the decisions that are still to come, if that is known.
  std::optional<std::uint64_t> left() const { return decisions_.left(); }

  // The next decision, in the order of its file; false at the end.
  Result<bool> next(ReportSample& sample);
  // Adds what the next row of the trace says of this sample.
  Result<void> join(ReportSample& sample);
  // Both for a sample that is not needed.
  Result<bool> skip();
  // Whether the trace was of these samples, so far.
  Result<void> agreed() const;
  // The same after the last sample: the trace has to end there.
  Result<void> finish();

 private:
  SampleReader(io::DecisionReader decisions, SampleFiles files)
      : decisions_(std::move(decisions)), files_(std::move(files)) {}
  void name_fields();
  Result<void> open_trace();

  io::DecisionReader decisions_;
  SampleFiles files_;
  std::vector<ReportField> fields_;
  std::vector<std::size_t> places_;  // of each of them in the file of decisions, or beyond its end
  std::optional<io::TraceReader> trace_;
  std::vector<std::size_t> traced_;  // places of the trace's fields among ours
  io::TraceRow trace_row_;
  std::size_t samples_ = 0;     // joined or passed over
  std::size_t trace_rows_ = 0;  // read
  std::optional<Error> other_sample_;
};

// Reads the files again for every question.
class SamplesOfFiles final : public ReportSamples {
 public:
  explicit SamplesOfFiles(SampleFiles files) : files_(std::move(files)) {}
  Result<std::vector<ReportSample>> pick(std::span<const std::size_t> places) const override;

 private:
  SampleFiles files_;
};

}  // namespace paco::report
