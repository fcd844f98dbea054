// Points, curves over the stream and score histograms: what the plots are drawn from.
#include <algorithm>
#include <cmath>

#include "paco/method.hpp"
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

template <class Value>
std::vector<double> met_by_stream(const ReportInput& input, double shift, Value value) {
  std::vector<double> result;
  for (const ReportSample& sample : input.samples) {
    if (std::isfinite(value(sample.decision))) result.push_back(value(sample.decision) + shift);
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

Json share_bins(const ReportInput& input) {
  const std::size_t n = input.samples.size();
  const std::size_t bins = std::clamp(n / kSamplesPerBin, std::size_t{1}, kShareBins);
  Json ends = Json::array();
  Json counts = Json::array();
  std::size_t i = 0;
  for (const std::size_t end : run_ends(n, bins)) {
    std::int64_t row[4] = {};
    for (; i < end; ++i) ++row[static_cast<int>(input.samples[i].decision.branch)];
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

}  // namespace

Json histogram_section(const ReportInput& input) {
  const Model& model = *input.model;
  const double shift = score_shift(input);
  return {
      {"hi", histogram_json(model.hi, 0,
                            met_by_stream(input, 0, [](const Decision& d) { return d.margin; }))},
      {"birth", histogram_json(
                    model.birth, shift,
                    met_by_stream(input, shift, [](const Decision& d) { return d.birth_score; }))},
      {"create",
       histogram_json(model.create, shift, met_by_stream(input, shift, [](const Decision& d) {
                        return d.attach_score;
                      }))}};
}

Json point_section(const ReportInput& input, const ReportOptions& options) {
  const std::vector<std::uint8_t> first = first_occurrences(input);
  std::vector<std::uint8_t> must = first;
  bool named = false;
  for (std::size_t i = 0; i < must.size(); ++i) {
    must[i] |= input.samples[i].decision.branch == Branch::create;
    named |= input.samples[i].id != std::to_string(input.samples[i].decision.sequence);
  }
  const std::vector<std::size_t> rows = thin(must, options.points);
  const double shift = score_shift(input);
  const auto decision = [&](std::size_t i) -> const Decision& { return input.samples[i].decision; };

  Json result;
  result["total"] = input.samples.size();
  result["count"] = rows.size();
  result["shift"] = shift;
  result["first_by"] = input.truth.empty() ? "birth" : "truth";
  result["sequence"] =
      column<std::uint32_t>(rows, [&](std::size_t i) { return decision(i).sequence; });
  result["category"] =
      column<std::int32_t>(rows, [&](std::size_t i) { return decision(i).category; });
  result["runner_up"] =
      column<std::int32_t>(rows, [&](std::size_t i) { return decision(i).runner_up; });
  result["branch"] = column<std::uint8_t>(rows, [&](std::size_t i) { return decision(i).branch; });
  result["route"] = column<std::uint8_t>(rows, [&](std::size_t i) { return decision(i).route; });
  result["first"] = column<std::uint8_t>(rows, [&](std::size_t i) { return first[i]; });
  if (!input.truth.empty()) {
    result["truth"] = column<std::int32_t>(rows, [&](std::size_t i) { return input.truth[i]; });
  }
  const bool evidence =
      std::any_of(input.samples.begin(), input.samples.end(),
                  [](const ReportSample& sample) { return std::isfinite(sample.decision.margin); });
  if (evidence) {
    result["top_cosine"] =
        column<float>(rows, [&](std::size_t i) { return decision(i).top_cosine; });
    result["margin"] = column<float>(rows, [&](std::size_t i) { return decision(i).margin; });
    result["birth_score"] =
        column<float>(rows, [&](std::size_t i) { return decision(i).birth_score + shift; });
    result["attach_score"] =
        column<float>(rows, [&](std::size_t i) { return decision(i).attach_score + shift; });
    result["tau_birth"] =
        column<float>(rows, [&](std::size_t i) { return decision(i).tau_birth + shift; });
  }
  if (named) {
    Json& ids = result["id"] = Json::array();
    for (const std::size_t i : rows) ids.push_back(input.samples[i].id);
  }
  if (input.model != nullptr) {
    Json& texts = result["explanation"] = Json::array();
    for (const std::size_t i : rows) texts.push_back(explain(decision(i), *input.model));
  }
  return result;
}

Json series_section(const ReportInput& input) {
  const std::size_t n = input.samples.size();
  const double shift = score_shift(input);
  const auto decision = [&](std::size_t i) -> const Decision& { return input.samples[i].decision; };
  std::vector<std::size_t> rows;
  for (const std::size_t end : run_ends(n, std::min(n, kCurvePoints))) rows.push_back(end - 1);
  std::vector<std::uint64_t> born(n);  // with a trace: also those of an earlier part of the stream
  std::vector<std::uint64_t> novel(n);
  std::uint64_t births = 0;
  std::uint64_t firsts = 0;
  const std::vector<std::uint8_t> first = first_occurrences(input);
  for (std::size_t i = 0; i < n; ++i) {
    births += decision(i).branch == Branch::create;
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
  if (input.has_trace) {
    result["eta"] = column<float>(rows, [&](std::size_t i) { return decision(i).eta_after; });
  }
  result["tau_birth"] = column<float>(rows, [&](std::size_t i) {
    return (input.has_trace ? decision(i).tau_birth_after : decision(i).tau_birth) + shift;
  });
  result["shares"] = share_bins(input);
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
