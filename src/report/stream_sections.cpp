// Points, curves over the stream and score histograms: what the plots are drawn from.
#include <algorithm>
#include <cmath>
#include <deque>

#include "evaluate/quantile.hpp"
#include "report/base64.hpp"
#include "report/histogram.hpp"
#include "report/sections.hpp"

namespace paco::report {

namespace {

constexpr std::size_t kLatencyBins = 80;  // as many bands as a plot can show
constexpr std::size_t kShareBins = 60;
constexpr std::size_t kSamplesPerBin = 20;  // with fewer samples percentiles are meaningless
constexpr std::size_t kHistogramBins = 60;
constexpr std::size_t kMaxAssignments = 150'000;  // 0.8 MB of the page at most

template <class T, class Value>
Json column(const std::vector<std::size_t>& rows, Value value) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const std::size_t row : rows) values.push_back(static_cast<T>(value(row)));
  return base64_of<T>(values);
}

std::vector<double> shifted(const std::vector<float>& values, double shift) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value += shift;
  return result;
}

std::vector<double> met_by_stream(const ReportView& view, double shift, int field) {
  std::vector<double> result;
  const std::deque<double>& values = view.total(field).values;
  result.reserve(values.size());
  for (const double value : values) result.push_back(value + shift);
  return result;
}

Json histogram_json(const ThresholdEvidence& evidence, double shift, std::vector<double> stream) {
  const std::vector<double> groups[] = {shifted(evidence.positives, shift),
                                        shifted(evidence.negatives, shift), std::move(stream)};
  const Histogram histogram = make_histogram(groups, kHistogramBins);
  return {{"low", histogram.low},
          {"width", histogram.width},
          {"threshold", evidence.value + shift},
          {"positives", histogram.counts[0]},
          {"negatives", histogram.counts[1]},
          {"stream", histogram.counts[2]}};
}

Json share_bins(const StreamTotals& stream) {
  const std::size_t n = stream.size();
  const std::size_t bins = std::clamp(n / kSamplesPerBin, std::size_t{1}, kShareBins);
  Json ends = Json::array();
  Json counts = Json::array();
  std::size_t i = 0;
  for (const std::size_t end : run_ends(n, bins)) {
    std::vector<std::int64_t> row(stream.ways_known());
    for (; i < end; ++i) ++row[stream.ways[i]];
    ends.push_back(stream.sequence(end));
    counts.push_back(row);
  }
  return {{"end", std::move(ends)}, {"counts", std::move(counts)}};
}

Json latency_bins(const StreamTotals& stream) {
  const std::size_t n = stream.size();
  const std::size_t bins = std::clamp(n / kSamplesPerBin, std::size_t{1}, kLatencyBins);
  Json result = {{"end", Json::array()},
                 {"p10", Json::array()},
                 {"p50", Json::array()},
                 {"p90", Json::array()},
                 {"p99", Json::array()}};
  if (stream.microseconds.empty()) return result;
  std::size_t i = 0;
  std::vector<double> times;
  for (const std::size_t end : run_ends(n, bins)) {
    times.clear();
    for (; i < end; ++i) {
      if (std::isfinite(stream.microseconds[i])) times.push_back(stream.microseconds[i]);
    }
    if (times.empty()) continue;
    std::sort(times.begin(), times.end());
    result["end"].push_back(stream.sequence(end));
    result["p10"].push_back(evaluate::sorted_quantile(times, 0.10));
    result["p50"].push_back(evaluate::sorted_quantile(times, 0.50));
    result["p90"].push_back(evaluate::sorted_quantile(times, 0.90));
    result["p99"].push_back(evaluate::sorted_quantile(times, 0.99));
  }
  return result;
}

// The number of places that are at or before `at`; the places are ascending.
std::size_t count_until(const std::vector<std::size_t>& places, std::size_t at) {
  return static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), at) -
                                  places.begin());
}

// Evidence that has a plot of its own.
constexpr std::string_view kPlotted[] = {"top_cosine", "margin", "birth_score", "attach_score",
                                         "tau_birth"};

// The planes have the margin as an axis.
bool has_plane(const ReportView& view) {
  return view.has("margin") && view.total(view.place("margin")).computed;
}

// A choice as a number; 255, for which the page has no name, if no choice was made.
std::uint8_t choice_of(double value) {
  return value >= 0 && value < 255 ? static_cast<std::uint8_t>(value) : 255;
}

// Indices of the evidence that has no plot and that some sample has.
std::vector<std::size_t> other_fields(const ReportView& view) {
  constexpr std::string_view kElsewhere[] = {"branch", "route", "tau_birth_after", "eta_after",
                                             "mature_after"};
  std::vector<std::size_t> result;
  for (std::size_t f = 0; f < view.input.fields.size(); ++f) {
    const std::string& name = view.input.fields[f].name;
    const bool plotted =
        has_plane(view) && std::any_of(std::begin(kPlotted), std::end(kPlotted),
                                       [&](std::string_view field) { return field == name; });
    const bool elsewhere =
        std::find(std::begin(kElsewhere), std::end(kElsewhere), name) != std::end(kElsewhere);
    if (!plotted && !elsewhere && view.stream.evidence[f].computed) result.push_back(f);
  }
  return result;
}

}  // namespace

Json histogram_section(const ReportView& view) {
  Json result = Json::object();
  for (const methods::CalibratedThreshold& threshold : view.details->thresholds) {
    const int field = view.place(threshold.field);
    const double shift = view.shift_of(field);
    result[threshold.key] =
        histogram_json(threshold.evidence, shift, met_by_stream(view, shift, field));
  }
  return result;
}

Json evidence_section(const ReportView& view) {
  Json result = Json::array();
  for (const std::size_t f : other_fields(view)) {
    const ReportField& field = view.input.fields[f];
    Json row = {{"name", field.name}, {"unit", field.unit}, {"meaning", field.meaning}};
    if (!field.choices.empty()) row["choices"] = field.choices;
    result.push_back(std::move(row));
  }
  return result;
}

Json point_section(const ReportView& view) {
  const ReportInput& input = view.input;
  const std::vector<std::size_t>& rows = view.points;
  Json result;
  result["total"] = view.stream.size();
  result["count"] = rows.size();
  result["shift"] = view.shift;
  result["first_by"] = input.truth.empty() ? "birth" : "truth";
  result["sequence"] =
      column<std::uint32_t>(rows, [&](std::size_t i) { return view.stream.sequence(i); });
  result["category"] =
      column<std::int32_t>(rows, [&](std::size_t i) { return view.stream.categories[i]; });
  result["runner_up"] =
      column<std::int32_t>(rows, [&](std::size_t i) { return view.decision(i).runner_up; });
  result[view.has("branch") ? "branch" : "verdict"] =
      column<std::uint8_t>(rows, [&](std::size_t i) { return view.stream.ways[i]; });
  if (const int route = view.place("route"); route >= 0) {
    result["route"] =
        column<std::uint8_t>(rows, [&](std::size_t i) { return choice_of(view.value(i, route)); });
  }
  result["first"] = column<std::uint8_t>(rows, [&](std::size_t i) {
    return std::binary_search(view.firsts.begin(), view.firsts.end(), i);
  });
  if (!input.truth.empty()) {
    result["truth"] = column<std::int32_t>(rows, [&](std::size_t i) { return input.truth[i]; });
  }
  for (const std::string_view name : kPlotted) {
    const int place = view.place(name);
    if (place < 0 || !has_plane(view)) continue;
    const double shift = view.shift_of(place);
    result[std::string(name)] =
        column<float>(rows, [&](std::size_t i) { return view.value(i, place) + shift; });
  }
  for (const std::size_t f : other_fields(view)) {
    const int place = static_cast<int>(f);
    const auto number = [&](std::size_t i) { return view.value(i, place); };
    const auto choice = [&](std::size_t i) { return choice_of(view.value(i, place)); };
    result["evidence"][input.fields[f].name] = input.fields[f].choices.empty()
                                                   ? column<float>(rows, number)
                                                   : column<std::uint8_t>(rows, choice);
  }
  if (view.stream.named) {
    Json& ids = result["id"] = Json::array();
    for (const std::size_t i : rows) ids.push_back(view.sample(i).sample);
  }
  if (input.method != nullptr) {
    Json& texts = result["explanation"] = Json::array();
    for (const std::size_t i : rows) texts.push_back(input.method->explain(view.decision(i)));
  }
  return result;
}

Json series_section(const ReportView& view) {
  const ReportInput& input = view.input;
  const StreamTotals& stream = view.stream;
  const std::vector<std::size_t>& rows = view.curve;
  Json result;
  result["sequence"] =
      column<std::uint32_t>(rows, [&](std::size_t i) { return stream.sequence(i); });
  // If there is a trace, this includes categories from an earlier part of the stream.
  result["categories"] = column<std::uint32_t>(rows, [&](std::size_t i) {
    return input.has_trace ? view.decision(i).categories_after : count_until(stream.births, i);
  });
  if (!input.truth.empty()) {
    result["novel_classes"] =
        column<std::uint32_t>(rows, [&](std::size_t i) { return count_until(view.firsts, i); });
  }
  if (const int eta = view.place("eta_after"); input.has_trace && eta >= 0) {
    result["eta"] = column<float>(rows, [&](std::size_t i) { return view.value(i, eta); });
  }
  if (const int tau = view.place(input.has_trace ? "tau_birth_after" : "tau_birth"); tau >= 0) {
    result["tau_birth"] =
        column<float>(rows, [&](std::size_t i) { return view.value(i, tau) + view.shift; });
  }
  result["shares"] = share_bins(stream);
  if (input.has_trace) result["latency"] = latency_bins(stream);
  if (stream.size() <= kMaxAssignments) {
    const std::vector<std::int32_t> all(stream.categories.begin(), stream.categories.end());
    result["assignment"] = base64_of<std::int32_t>(all);
  }
  return result;
}

}  // namespace paco::report
