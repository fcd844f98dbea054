// The parts of the page's JSON object, one function each. Every one takes the whole input and
// leaves out what the input does not hold. Keys and arrays are read by web/src; change both
// together.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "paco/thresholds.hpp"
#include "report/report.hpp"

namespace paco {

using Json = nlohmann::ordered_json;

// The input with what the sections ask of it again and again.
struct ReportView {
  explicit ReportView(const ReportInput& given);

  const ReportInput& input;
  // Thresholds, where the stream has PACO's evidence and the model PACO's section.
  std::optional<PacoParameters> paco;
  // Birth and attach scores lie near -log p0, which no reader can picture; the page shows them from
  // 0 up by adding log p0. 0 where that is not known.
  double shift = 0;

  const Decision& decision(std::size_t sample) const { return input.samples[sample].decision; }
  // Place of an evidence number, or -1.
  int place(std::string_view field) const;
  bool has(std::string_view field) const { return place(field) >= 0; }
  // An evidence number of a sample; not computed where its place is -1.
  double value(std::size_t sample, int place) const {
    return place < 0 ? kNotComputed : decision(sample).evidence[static_cast<std::size_t>(place)];
  }
  // How the sample was decided: the number of its branch, or of its verdict where there are none.
  std::size_t way(std::size_t sample) const;
  std::size_t ways() const;

 private:
  int branch_ = -1;
};

// The headline counts, by the names of `paco discover --json`.
Json stream_section(const ReportView& view);
// Known classes and categories with sizes, births and, with truth, what they mostly hold.
Json memory_section(const ReportView& view);
// Thresholds with their evidence, the choice of references, the settings.
Json model_section(const ReportView& view);
// Calibration scores on both sides of each threshold, beside the scores that the stream met.
Json histogram_section(const ReportView& view);
// Evidence of the method that no plot of the page knows: name, unit and meaning. The values are in
// the points.
Json evidence_section(const ReportView& view);
// The samples drawn as points: evidence, verdict and explanation.
Json point_section(const ReportView& view, const ReportOptions& options);
// Curves over the stream: categories, eta, tau_birth, shares of the branches (or of the verdicts),
// latency; who went where.
Json series_section(const ReportView& view);
// Pictures; reads the image source.
Result<Json> gallery_section(const ReportView& view, const ReportOptions& options,
                             const std::stop_token& stop);

}  // namespace paco
