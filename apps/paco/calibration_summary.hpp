// What is told of a model: by `paco calibrate` and `paco inspect`.
#pragma once

#include "paco/model.hpp"
#include "verb.hpp"

namespace paco {

Json calibration_json(const Model& model);
// Reference and thresholds with the evidence for them, as a table.
std::string calibration_text(const Model& model);

}  // namespace paco
