// The contenders of the question "how long does calibration take?" beside calibrate() itself.
#pragma once

#include <cstdint>
#include <span>

#include "math/matrix.hpp"
#include "paco/thresholds.hpp"

namespace paco::bench {

struct Thresholds {
  double hi = 0, birth = 0, create = 0;
};

// The definition in plain loops: every sample with every class, one after the other.
Thresholds plain_calibration(Rows<const double> support, std::span<const std::int64_t> labels,
                             std::size_t classes, const PacoOptions& options);

// The matrix products of a calibration and nothing else, in the block sizes that suit them best:
// the time below which no implementation by matrix products gets.
void calibration_products(Rows<const float> units, std::size_t classes, int replays);

}  // namespace paco::bench
