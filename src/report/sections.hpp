// The parts of the page's JSON object, one function each. Every one takes the whole input and
// leaves out what the input does not hold. Keys and arrays are read by web/src; change both
// together.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "report/report.hpp"

namespace paco {

using Json = nlohmann::ordered_json;

// Birth and attach scores lie near -log p0, which no reader can picture; the page shows them from 0
// up by adding log p0. 0 without a model.
double score_shift(const ReportInput& input);

// The headline counts, by the names of `paco discover --json`.
Json stream_section(const ReportInput& input);
// Known classes and categories with sizes, births and, with truth, what they mostly hold.
Json memory_section(const ReportInput& input);
// Thresholds with their evidence, the choice of references, the settings.
Json model_section(const ReportInput& input);
// Calibration scores on both sides of each threshold, beside the scores that the stream met.
Json histogram_section(const ReportInput& input);
// The samples drawn as points: evidence, verdict and explanation.
Json point_section(const ReportInput& input, const ReportOptions& options);
// Curves over the stream: categories, eta, tau_birth, shares of the branches, latency; who went
// where.
Json series_section(const ReportInput& input);
// Pictures; reads the image source.
Result<Json> gallery_section(const ReportInput& input, const ReportOptions& options);

}  // namespace paco
