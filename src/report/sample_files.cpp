#include "report/sample_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::report {
namespace {

constexpr const char* kTraceHint = "give the trace that was written together with these decisions";

bool on_disk(const std::string& path) {
  return path != "-" && core::path_kind(path) == core::PathKind::file;
}

// The index of the field with this name, or the number of fields if there is none.
template <class Field>
std::size_t place_of(std::string_view name, const std::vector<Field>& fields) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return static_cast<std::size_t>(found - fields.begin());
}

}  // namespace

bool SampleFiles::can_be_read_again() const {
  return on_disk(decisions) && (trace.empty() || on_disk(trace));
}

Result<SampleReader> SampleReader::start(io::DecisionReader decisions, const SampleFiles& files) {
  SampleReader reader(std::move(decisions), files);
  reader.name_fields();
  if (!files.trace.empty()) PACO_TRY(reader.open_trace());
  return reader;
}

void SampleReader::name_fields() {
  const std::vector<io::DecisionField>& in_file = decisions_.fields();
  if (files_.method != nullptr) {
    for (const EvidenceField& field : files_.method->evidence) {
      fields_.push_back({std::string(field.name),
                         std::string(field.unit),
                         std::string(field.meaning),
                         {field.choices.begin(), field.choices.end()}});
    }
  } else {
    for (const io::DecisionField& field : in_file)
      fields_.push_back({field.name, "", "", field.choices});
  }
  for (const ReportField& field : fields_) places_.push_back(place_of(field.name, in_file));
}

Result<void> SampleReader::open_trace() {
  PACO_ASSIGN(trace_, io::TraceReader::open(files_.trace));
  for (const io::DecisionField& field : trace_->fields()) {
    traced_.push_back(place_of(field.name, fields_));
    if (traced_.back() == fields_.size()) fields_.push_back({field.name, "", "", field.choices});
  }
  if (fields_.size() > kMaxEvidence) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} and {} are of different methods", files_.trace, files_.decisions),
                 kTraceHint};
  }
  // If the trace has a field, its value is used, so it is not read from the decisions.
  std::vector<bool> unread(decisions_.fields().size());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const bool traced = std::find(traced_.begin(), traced_.end(), i) != traced_.end();
    if (traced && places_[i] < unread.size()) unread[places_[i]] = true;
  }
  decisions_.leave_unread(std::move(unread));
  return {};
}

Result<bool> SampleReader::next(ReportSample& sample) {
  PACO_ASSIGN(const bool more, decisions_.next(sample));
  if (!more) return false;
  const auto evidence = sample.evidence;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    sample.evidence[i] =
        places_[i] < decisions_.fields().size() ? evidence[places_[i]] : kNotComputed;
  }
  sample.microseconds = kNotComputed;
  return true;
}

Result<void> SampleReader::join(ReportSample& sample) {
  ++samples_;
  if (!trace_ || samples_ - 1 > trace_rows_) return {};
  PACO_ASSIGN(const bool more, trace_->next(trace_row_));
  if (!more) return {};
  ++trace_rows_;
  const Decision& traced = trace_row_.decision;
  Decision& decision = sample;
  if (traced.sequence != decision.sequence || traced.category != decision.category) {
    if (other_sample_) return {};
    other_sample_ =
        Error{ErrorCode::mismatch,
              fmt::format("{}: row {} is sample {} in category {}, but {} has sample {} in {}",
                          files_.trace, trace_rows_, traced.sequence, traced.category,
                          files_.decisions, decision.sequence, decision.category),
              kTraceHint};
    return {};
  }
  for (std::size_t f = 0; f < traced_.size(); ++f)
    decision.evidence[traced_[f]] = traced.evidence[f];
  decision.categories_after = traced.categories_after;
  sample.microseconds = trace_row_.microseconds;
  return {};
}

Result<bool> SampleReader::skip() {
  PACO_ASSIGN(const bool more, decisions_.skip());
  if (!more) return false;
  ++samples_;
  if (!trace_) return true;
  PACO_ASSIGN(const bool traced, trace_->skip());
  trace_rows_ += traced ? 1 : 0;
  return true;
}

Result<void> SampleReader::agreed() const {
  // A different length is the clearer error, so it is reported first.
  if (trace_ && trace_rows_ != samples_) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{} has {} samples, {} has {}", files_.trace, trace_rows_,
                             files_.decisions, samples_),
                 kTraceHint};
  }
  if (other_sample_) return *other_sample_;
  return {};
}

Result<void> SampleReader::finish() {
  while (trace_) {
    PACO_ASSIGN(const bool more, trace_->next(trace_row_));
    if (!more) break;
    ++trace_rows_;
  }
  return agreed();
}

Result<std::vector<ReportSample>> SamplesOfFiles::pick(std::span<const std::size_t> places) const {
  PACO_ASSIGN(io::DecisionReader decisions, io::DecisionReader::open(files_.decisions));
  PACO_ASSIGN(SampleReader reader, SampleReader::start(std::move(decisions), files_));
  std::vector<ReportSample> picked(places.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    bool more = true;
    for (; more && at < places[i]; ++at) {
      PACO_ASSIGN(more, reader.skip());
    }
    if (more) {
      PACO_ASSIGN(more, reader.next(picked[i]));
    }
    if (!more) {
      return Error{ErrorCode::mismatch,
                   fmt::format("{} has become shorter while it was read", files_.decisions),
                   "make the report of a run that is over"};
    }
    PACO_TRY(reader.join(picked[i]));
    ++at;
  }
  PACO_TRY(reader.agreed());
  return picked;
}

}  // namespace paco::report
