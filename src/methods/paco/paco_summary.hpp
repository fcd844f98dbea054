// What PACO's calibration found: thresholds with their evidence.
#pragma once

#include "methods/common/method_details.hpp"
#include "methods/common/section_summary.hpp"
#include "paco/model.hpp"

namespace paco::methods {

Result<SectionSummary> summarise_paco(const Model& model);
// `changed`: options of the deciding stage that replace the model's.
Result<MethodDetails> paco_details(const Model& model, const Settings& changed);

}  // namespace paco::methods
