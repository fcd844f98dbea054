// The parts of the page's JSON object, one function each. Every one takes the whole input and
// leaves out what the input does not hold. Keys and arrays are read by web/src; change both
// together.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "methods/common/method_details.hpp"
#include "report/report.hpp"

namespace paco::report {

using Json = nlohmann::ordered_json;

// Classes or categories with pictures, and the places of the samples that those are of.
using Gallery = std::vector<std::pair<CategoryId, std::vector<std::size_t>>>;

// Thresholds of the method that decided, if the model has its section.
std::optional<methods::MethodDetails> details_of(const ReportInput& input);
// The evidence that the model has thresholds for: the page has histograms of it.
std::vector<std::string> fields_with_threshold(const ReportInput& input);

// The input with what the sections ask of it again and again, and the samples that are shown.
struct ReportView {
  explicit ReportView(const ReportInput& given);

  // Chooses the samples that are shown and has them read. Everything about single samples below
  // needs that.
  Result<void> choose(const ReportOptions& options);

  const ReportInput& input;
  const StreamTotals& stream;
  // Of the method, if the model has its section and the stream the evidence for its thresholds.
  std::optional<methods::MethodDetails> details;
  // Added to evidence in the unit "score" on the page. 0 if that is not known.
  double shift = 0;

  std::vector<std::size_t> firsts;  // places of the first samples of their kind
  std::vector<std::size_t> points;  // places of the samples that are drawn as points
  std::vector<std::size_t> curve;   // places at which curves over the stream are drawn
  Gallery categories, classes;      // that have pictures

  // One of the samples that are shown.
  const ReportSample& sample(std::size_t at) const;
  const Decision& decision(std::size_t at) const { return sample(at); }
  // Place of an evidence number, or -1.
  int place(std::string_view field) const;
  // Added to this evidence number on the page.
  double shift_of(int field) const;
  bool has(std::string_view field) const { return place(field) >= 0; }
  // An evidence number of a sample that is shown.
  double value(std::size_t at, int field) const {
    return decision(at).evidence[static_cast<std::size_t>(field)];
  }
  // What an evidence number comes to over the stream.
  const EvidenceTotal& total(int field) const {
    return stream.evidence[static_cast<std::size_t>(field)];
  }

 private:
  std::vector<std::size_t> shown_;  // places, rising
  std::vector<ReportSample> samples_;
};

// Ends of `bins` runs of equal length over n samples.
std::vector<std::size_t> run_ends(std::size_t n, std::size_t bins);
// Sets view.categories and view.classes.
void choose_galleries(ReportView& view, const ReportOptions& options);

// The headline counts, by the names of `paco discover --json`.
Json stream_section(const ReportView& view);
// Known classes and categories with sizes, births and, with truth, what they mostly hold.
Json memory_section(const ReportView& view);
// Thresholds with their evidence, the choice of references, the settings.
Json model_section(const ReportView& view);
// Scores of the support set on both sides of each threshold, beside the scores that the stream met.
Json histogram_section(const ReportView& view);
// Evidence of the method without a plot of its own: name, unit and meaning. The values are in
// the points.
Json evidence_section(const ReportView& view);
// The samples drawn as points: evidence, verdict and explanation.
Json point_section(const ReportView& view);
// Curves over the stream: categories, eta, tau_birth, shares of the branches (or of the verdicts),
// latency; who went where.
Json series_section(const ReportView& view);
// Pictures; reads the image source.
Result<Json> gallery_section(const ReportView& view, const ReportOptions& options,
                             const std::stop_token& stop);

}  // namespace paco::report
