// What PACO's calibration found: thresholds with their evidence.
#pragma once

#include "methods/common/section_summary.hpp"
#include "paco/model.hpp"

namespace paco::methods {

Result<SectionSummary> summarise_paco(const Model& model);

}  // namespace paco::methods
