// Points, curves over the stream and score histograms: what the plots are drawn from.
#include <algorithm>
#include <cmath>

#include "report/base64.hpp"
#include "report/histogram.hpp"
#include "report/sections.hpp"
#include "report/thinning.hpp"

namespace paco {

namespace {

constexpr std::size_t kCurvePoints = 1000;  // of a curve over the stream
constexpr std::size_t kLatencyBins = 80;    // as many bands as a plot can show
constexpr std::size_t kShareBins = 60;
constexpr std::size_t kSamplesPerBin = 20;  // fewer would make percentiles of nothing
constexpr std::size_t kHistogramBins = 60;
constexpr std::size_t kMaxAssignments = 150'000;  // 0.8 MB of the page at most

template <class T, class Value>
Json column(const std::vector<std::size_t>& rows, Value value) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const std::size_t row : rows) values.push_back(static_cast<T>(value(row)));
  return base64_of<T>(values);
}

// Ends of `bins` runs of equal length over n samples.
std::vector<std::size_t> run_ends(std::size_t n, std::size_t bins) {
  std::vector<std::size_t> ends;
  for (std::size_t b = 1; b <= bins; ++b) ends.push_back(n * b / bins);
  return ends;
}

std::vector<double> shifted(const std::vector<float>& values, double shift) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value += shift;
  return result;
}

std::vector<double> met_by_stream(const ReportView& view, double shift, std::string_view field) {
  const int place = view.place(field);
  std::vector<double> result;
  for (std::size_t i = 0; i < view.input.samples.size(); ++i) {
    if (std::isfinite(view.value(i, place))) result.push_back(view.value(i, place) + shift);
  }
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

Json share_bins(const ReportView& view) {
  const ReportInput& input = view.input;
  const std::size_t n = input.samples.size();
  const std::size_t bins = std::clamp(n / kSamplesPerBin, std::size_t{1}, kShareBins);
  Json ends = Json::array();
  Json counts = Json::array();
  std::size_t i = 0;
  for (const std::size_t end : run_ends(n, bins)) {
    std::vector<std::int64_t> row(view.ways());
    for (; i < end; ++i) ++row[view.way(i)];
    ends.push_back(input.samples[end - 1].decision.sequence + 1);
    counts.push_back(row);
  }
  return {{"end", std::move(ends)}, {"counts", std::move(counts)}};
}

Json latency_bins(const ReportInput& input) {
  const std::size_t n = input.samples.size();
  const std::size_t bins = std::clamp(n / kSamplesPerBin, std::size_t{1}, kLatencyBins);
  Json result = {{"end", Json::array()},
                 {"p10", Json::array()},
                 {"p50", Json::array()},
                 {"p90", Json::array()},
                 {"p99", Json::array()}};
  std::size_t i = 0;
  std::vector<double> times;
  for (const std::size_t end : run_ends(n, bins)) {
    times.clear();
    for (; i < end; ++i) {
      if (std::isfinite(input.samples[i].microseconds))
        times.push_back(input.samples[i].microseconds);
    }
    if (times.empty()) continue;
    std::sort(times.begin(), times.end());
    result["end"].push_back(input.samples[end - 1].decision.sequence + 1);
    result["p10"].push_back(sorted_quantile(times, 0.10));
    result["p50"].push_back(sorted_quantile(times, 0.50));
    result["p90"].push_back(sorted_quantile(times, 0.90));
    result["p99"].push_back(sorted_quantile(times, 0.99));
  }
  return result;
}

// Evidence that has a plot of its own, and whether it is a score, shown from 0 up.
constexpr std::pair<std::string_view, bool> kPlotted[] = {{"top_cosine", false},
                                                          {"margin", false},
                                                          {"birth_score", true},
                                                          {"attach_score", true},
                                                          {"tau_birth", true}};

bool any_computed(const ReportView& view, int place) {
  for (std::size_t i = 0; i < view.input.samples.size(); ++i) {
    if (std::isfinite(view.value(i, place))) return true;
  }
  return false;
}

// The planes are drawn along the margin.
bool has_plane(const ReportView& view) {
  return view.has("margin") && any_computed(view, view.place("margin"));
}

// A choice as a number that the page finds no name for where none was made.
std::uint8_t choice_of(double value) {
  return value >= 0 && value < 255 ? static_cast<std::uint8_t>(value) : 255;
}

// Places of the evidence that no plot knows and that some sample has.
std::vector<std::size_t> other_fields(const ReportView& view) {
  constexpr std::string_view kElsewhere[] = {"branch", "route", "tau_birth_after", "eta_after",
                                             "mature_after"};
  std::vector<std::size_t> result;
  for (std::size_t f = 0; f < view.input.fields.size(); ++f) {
    const std::string& name = view.input.fields[f].name;
    const bool plotted =
        has_plane(view) && std::any_of(std::begin(kPlotted), std::end(kPlotted),
                                       [&](const auto& field) { return field.first == name; });
    const bool elsewhere =
        std::find(std::begin(kElsewhere), std::end(kElsewhere), name) != std::end(kElsewhere);
    if (!plotted && !elsewhere && any_computed(view, static_cast<int>(f))) result.push_back(f);
  }
  return result;
}

}  // namespace

Json histogram_section(const ReportView& view) {
  const PacoParameters& p = *view.paco;
  return {{"hi", histogram_json(p.hi, 0, met_by_stream(view, 0, "margin"))},
          {"birth",
           histogram_json(p.birth, view.shift, met_by_stream(view, view.shift, "birth_score"))},
          {"create",
           histogram_json(p.create, view.shift, met_by_stream(view, view.shift, "attach_score"))}};
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

Json point_section(const ReportView& view, const ReportOptions& options) {
  const ReportInput& input = view.input;
  const std::vector<std::uint8_t> first = first_occurrences(input);
  std::vector<std::uint8_t> must = first;
  bool named = false;
  for (std::size_t i = 0; i < must.size(); ++i) {
    must[i] |= view.decision(i).verdict == Verdict::created;
    named |= input.samples[i].id != std::to_string(view.decision(i).sequence);
  }
  const std::vector<std::size_t> rows = thin(must, options.points);

  Json result;
  result["total"] = input.samples.size();
  result["count"] = rows.size();
  result["shift"] = view.shift;
  result["first_by"] = input.truth.empty() ? "birth" : "truth";
  result["sequence"] =
      column<std::uint32_t>(rows, [&](std::size_t i) { return view.decision(i).sequence; });
  result["category"] =
      column<std::int32_t>(rows, [&](std::size_t i) { return view.decision(i).category; });
  result["runner_up"] =
      column<std::int32_t>(rows, [&](std::size_t i) { return view.decision(i).runner_up; });
  result[view.has("branch") ? "branch" : "verdict"] =
      column<std::uint8_t>(rows, [&](std::size_t i) { return view.way(i); });
  if (const int route = view.place("route"); route >= 0) {
    result["route"] =
        column<std::uint8_t>(rows, [&](std::size_t i) { return choice_of(view.value(i, route)); });
  }
  result["first"] = column<std::uint8_t>(rows, [&](std::size_t i) { return first[i]; });
  if (!input.truth.empty()) {
    result["truth"] = column<std::int32_t>(rows, [&](std::size_t i) { return input.truth[i]; });
  }
  for (const auto& [name, shifted] : kPlotted) {
    const int place = view.place(name);
    if (place < 0 || !has_plane(view)) continue;
    const double shift = shifted ? view.shift : 0;
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
  if (named) {
    Json& ids = result["id"] = Json::array();
    for (const std::size_t i : rows) ids.push_back(input.samples[i].id);
  }
  if (input.method != nullptr) {
    Json& texts = result["explanation"] = Json::array();
    for (const std::size_t i : rows) texts.push_back(input.method->explain(view.decision(i)));
  }
  return result;
}

Json series_section(const ReportView& view) {
  const ReportInput& input = view.input;
  const std::size_t n = input.samples.size();
  const auto decision = [&](std::size_t i) -> const Decision& { return view.decision(i); };
  std::vector<std::size_t> rows;
  for (const std::size_t end : run_ends(n, std::min(n, kCurvePoints))) rows.push_back(end - 1);
  std::vector<std::uint64_t> born(n);  // with a trace: also those of an earlier part of the stream
  std::vector<std::uint64_t> novel(n);
  std::uint64_t births = 0;
  std::uint64_t firsts = 0;
  const std::vector<std::uint8_t> first = first_occurrences(input);
  for (std::size_t i = 0; i < n; ++i) {
    births += decision(i).verdict == Verdict::created;
    born[i] = input.has_trace ? decision(i).categories_after : births;
    novel[i] = firsts += first[i];
  }

  Json result;
  result["sequence"] =
      column<std::uint32_t>(rows, [&](std::size_t i) { return decision(i).sequence; });
  result["categories"] = column<std::uint32_t>(rows, [&](std::size_t i) { return born[i]; });
  if (!input.truth.empty()) {
    result["novel_classes"] = column<std::uint32_t>(rows, [&](std::size_t i) { return novel[i]; });
  }
  if (const int eta = view.place("eta_after"); input.has_trace && eta >= 0) {
    result["eta"] = column<float>(rows, [&](std::size_t i) { return view.value(i, eta); });
  }
  if (const int tau = view.place(input.has_trace ? "tau_birth_after" : "tau_birth"); tau >= 0) {
    result["tau_birth"] =
        column<float>(rows, [&](std::size_t i) { return view.value(i, tau) + view.shift; });
  }
  result["shares"] = share_bins(view);
  if (input.has_trace) result["latency"] = latency_bins(input);
  if (n <= kMaxAssignments) {
    std::vector<std::size_t> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = i;
    result["assignment"] = column<std::int32_t>(
        all, [&](std::size_t i) { return input.samples[i].decision.category; });
  }
  return result;
}

}  // namespace paco
