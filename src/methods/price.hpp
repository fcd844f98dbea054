// What a false-new promise costs, judged on the support set before there is a stream.
#pragma once

#include <stop_token>

#include "paco/given_head.hpp"

namespace paco::methods {

// calibrate() without the price.
Result<Model> calibrated(const SupportSet& support, const CalibrationOptions& options,
                         std::stop_token stop, const GivenHead& head = {});

// Hides half of the classes a few times, calibrates on half of the samples of the others, streams
// everything else with the promise and without it, and writes the means into the model. Where the
// parts are too small to calibrate on or to promise anything, nothing is written.
Result<void> measure_price(const SupportSet& support, const CalibrationOptions& options,
                           std::stop_token stop, Model& model);

}  // namespace paco::methods
