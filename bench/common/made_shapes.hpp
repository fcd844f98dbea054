// Made data in the shapes of the paper's data sets, and a model calibrated on it.
#pragma once

#include "data/made_data.hpp"
#include "paco/model.hpp"

namespace paco {

MadeShape cars_shape();      // 6,144 samples, 98 known classes, about 367 prototypes at the end
MadeShape cub_shape();       // support of 1,498 in 100 classes
MadeShape imagenet_shape();  // support of 31,860 in 50 classes

// Calibrated on the made support set.
Result<Model> calibrate_made(const MadeData& data, const CalibrationOptions& options = {});

}  // namespace paco
