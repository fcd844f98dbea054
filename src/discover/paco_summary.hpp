// What PACO's calibration found: thresholds with their evidence.
#pragma once

#include "discover/section_summary.hpp"
#include "paco/model.hpp"

namespace paco {

Result<SectionSummary> summarise_paco(const Model& model);

}  // namespace paco
