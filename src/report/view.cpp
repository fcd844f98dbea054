// Selects the samples that are shown, and finds them by place.
#include <algorithm>
#include <cassert>

#include "core/try.hpp"
#include "methods/registry.hpp"
#include "report/sections.hpp"
#include "report/thinning.hpp"

namespace paco::report {

namespace {

constexpr std::size_t kCurvePoints = 1000;  // of a curve over the stream

std::vector<std::size_t> both(const std::vector<std::size_t>& a,
                              const std::vector<std::size_t>& b) {
  std::vector<std::size_t> result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

}  // namespace

std::vector<std::size_t> run_ends(std::size_t n, std::size_t bins) {
  std::vector<std::size_t> ends;
  for (std::size_t b = 1; b <= bins; ++b) ends.push_back(n * b / bins);
  return ends;
}

Result<std::vector<ReportSample>> KeptSamples::pick(std::span<const std::size_t> places) const {
  std::vector<ReportSample> picked;
  picked.reserve(places.size());
  for (const std::size_t place : places) picked.push_back(samples_[place]);
  return picked;
}

std::optional<methods::MethodDetails> details_of(const ReportInput& input) {
  if (input.model == nullptr) return std::nullopt;
  std::string_view name = input.model->method;
  if (!input.decided_by.empty()) name = input.decided_by;
  if (input.method != nullptr) name = input.method->name();
  const auto method = methods::find_method(name);
  if (!method.ok() || (*method)->details == nullptr) return std::nullopt;
  auto found =
      (*method)->details(*input.model, input.method ? input.method->settings() : Settings());
  if (!found.ok()) return std::nullopt;  // the model was made for another method
  return std::move(found).value();
}

std::vector<std::string> fields_with_threshold(const ReportInput& input) {
  std::vector<std::string> fields;
  if (const auto details = details_of(input)) {
    for (const methods::CalibratedThreshold& threshold : details->thresholds)
      fields.push_back(threshold.field);
  }
  return fields;
}

ReportView::ReportView(const ReportInput& given) : input(given), stream(given.stream) {
  auto found = details_of(input);
  if (!found) return;
  for (const methods::CalibratedThreshold& threshold : found->thresholds) {
    if (!has(threshold.field)) return;  // the stream is from another method
  }
  details = std::move(found);
  shift = details->shift;
}

Result<void> ReportView::choose(const ReportOptions& options) {
  const std::size_t n = stream.size();
  firsts = first_occurrences(input);
  points = thin(n, both(firsts, stream.births), options.points);
  for (const std::size_t end : run_ends(n, std::min(n, kCurvePoints))) curve.push_back(end - 1);
  if (input.images != nullptr) choose_galleries(*this, options);
  std::vector<std::size_t> pictured;
  for (const Gallery* gallery : {&categories, &classes}) {
    for (const auto& [id, places] : *gallery)
      pictured.insert(pictured.end(), places.begin(), places.end());
  }
  std::sort(pictured.begin(), pictured.end());
  shown_ = both(both(points, curve), pictured);
  PACO_ASSIGN(samples_, input.samples->pick(shown_));
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const Decision& d = samples_[i];
    if (d.sequence == stream.sequence(shown_[i]) && d.category == stream.categories[shown_[i]])
      continue;
    return Error{ErrorCode::mismatch, "the decisions have changed while they were read",
                 "make the report of a run that is over"};
  }
  return {};
}

const ReportSample& ReportView::sample(std::size_t at) const {
  const auto found = std::lower_bound(shown_.begin(), shown_.end(), at);
  assert(found != shown_.end() && *found == at);
  return samples_[static_cast<std::size_t>(found - shown_.begin())];
}

int ReportView::place(std::string_view field) const {
  for (std::size_t i = 0; i < input.fields.size(); ++i) {
    if (input.fields[i].name == field) return static_cast<int>(i);
  }
  return -1;
}

double ReportView::shift_of(int field) const {
  return field >= 0 && input.fields[static_cast<std::size_t>(field)].unit == "score" ? shift : 0;
}

}  // namespace paco::report
