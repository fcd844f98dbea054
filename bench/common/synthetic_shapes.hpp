// Made data in the shapes of the paper's data sets, and a model calibrated on it.
#pragma once

#include "io/synthetic_data.hpp"
#include "paco/model.hpp"

namespace paco {

io::SyntheticShape
cars_shape();                    // 6,144 samples, 98 known classes, about 367 prototypes at the end
io::SyntheticShape cub_shape();  // support of 1,498 in 100 classes
io::SyntheticShape imagenet_shape();  // support of 31,860 in 50 classes

// Calibrated on the made support set.
Result<Model> calibrate_made(const io::SyntheticData& data, const CalibrationOptions& options = {});

}  // namespace paco
