// The parts of the page's JSON object, one function each. Every function takes the whole input and
// leaves out parts without data. web/src reads the keys and arrays; change both together.
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

// Classes or categories with pictures, each with the places of the samples shown.
using Gallery = std::vector<std::pair<CategoryId, std::vector<std::size_t>>>;

// Thresholds of the method that decided, if the model has its section.
std::optional<methods::MethodDetails> details_of(const ReportInput& input);
// Names of the evidence for which the model has thresholds. The page shows histograms of it.
std::vector<std::string> fields_with_threshold(const ReportInput& input);

// The input, with values that the sections need repeatedly and the samples that are shown.
struct ReportView {
  explicit ReportView(const ReportInput& given);

  // Chooses the samples that are shown and reads them. All members below that return a single
  // sample's data need this.
  Result<void> choose(const ReportOptions& options);

  const ReportInput& input;
  const StreamTotals& stream;
  // The method's thresholds, if the model has its section and the stream has the evidence for them.
  std::optional<methods::MethodDetails> details;
  // Added to evidence in the unit "score" on the page; 0 if not known.
  double shift = 0;

  std::vector<std::size_t> firsts;  // places of the first samples of their kind
  std::vector<std::size_t> points;  // places of the samples that are drawn as points
  std::vector<std::size_t> curve;   // places at which curves over the stream are drawn
  Gallery categories, classes;      // those with pictures

  // A sample that is shown.
  const ReportSample& sample(std::size_t at) const;
  const Decision& decision(std::size_t at) const { return sample(at); }
  // Index of an evidence number, or -1.
  int place(std::string_view field) const;
  // Added to this evidence number on the page.
  double shift_of(int field) const;
  bool has(std::string_view field) const { return place(field) >= 0; }
  // An evidence number of a shown sample.
  double value(std::size_t at, int field) const {
    return decision(at).evidence[static_cast<std::size_t>(field)];
  }
  // The total of an evidence number over the stream.
  const EvidenceTotal& total(int field) const {
    return stream.evidence[static_cast<std::size_t>(field)];
  }

 private:
  std::vector<std::size_t> shown_;  // places, rising
  std::vector<ReportSample> samples_;
};

// The ends of `bins` runs of equal length over n samples.
std::vector<std::size_t> run_ends(std::size_t n, std::size_t bins);
// Sets view.categories and view.classes.
void choose_galleries(ReportView& view, const ReportOptions& options);

// The headline counts, by the names of `paco discover --json`.
Json stream_section(const ReportView& view);
// Known classes and categories with sizes and births and, if there is truth, the most frequent true
// class.
Json memory_section(const ReportView& view);
// Thresholds with their evidence, the choice of references, the settings.
Json model_section(const ReportView& view);
// Scores of the support set on both sides of each threshold, with the scores of the stream.
Json histogram_section(const ReportView& view);
// Evidence of the method that has no plot of its own: name, unit and meaning. Its values are in the
// points.
Json evidence_section(const ReportView& view);
// The samples drawn as points: evidence, verdict and explanation.
Json point_section(const ReportView& view);
// Curves over the stream: categories, eta, tau_birth, shares of the branches (or of the verdicts),
// latency, and the category of each sample.
Json series_section(const ReportView& view);
// Pictures; reads the image source.
Result<Json> gallery_section(const ReportView& view, const ReportOptions& options,
                             const std::stop_token& stop);

}  // namespace paco::report
