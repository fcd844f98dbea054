// Thresholds with their evidence in a section of a model file, and back.
#pragma once

#include <string_view>

#include "paco/model.hpp"
#include "paco/thresholds.hpp"

namespace paco::methods {

// Under the names "NAME", "NAME.balanced_accuracy", ... and "NAME.positives", "NAME.negatives".
void put_threshold(Section& section, std::string_view name, ThresholdEvidence evidence);
Result<ThresholdEvidence> get_threshold(const Section& section, std::string_view name);

}  // namespace paco::methods
