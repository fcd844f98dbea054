// What PACO's calibration found: thresholds with their evidence.
#pragma once

#include "discover/method_details.hpp"
#include "discover/section_summary.hpp"
#include "paco/model.hpp"

namespace paco {

Result<SectionSummary> summarise_paco(const Model& model);
// `changed`: options of the deciding stage in place of the model's.
Result<MethodDetails> paco_details(const Model& model, const Settings& changed);

}  // namespace paco
