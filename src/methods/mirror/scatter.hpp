// The variance of unit vectors within classes: the pooled covariance, how far to shrink it, and its
// effective rank. All in double with a fixed order of every sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

#include "math/matrix.hpp"

namespace paco::methods {

// Large matrices that are kept from one fit to the next.
struct FitRoom {
  math::Matrix<double> within;  // (d, d) upper triangle: covariance within classes, divisor N - K
  math::Matrix<double> weighted, gram, inverse;
  math::Matrix<double>::Numbers deviations;  // for the largest number of samples processed so far
};

struct Scatter {
  double trace = 0;      // of room.within; 0: nothing varies, the rest is not computed
  double shrinkage = 1;  // alpha, from 0 to 1
  std::size_t rank = 0;  // eigenvalues of the centred Gram matrix above 1e-6 of the largest
};

// units is (N, d), labels (N) are 0 .. classes - 1, every class has a sample. If `stop` is set, the
// result is meaningless.
Scatter scatter_of(Rows<const float> units, std::span<const std::uint32_t> labels,
                   std::size_t classes, FitRoom& room, const std::stop_token& stop);

}  // namespace paco::methods
