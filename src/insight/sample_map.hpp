// A layout of samples in two dimensions that keeps neighbours close. It starts at the principal
// axes. Then each sample is pulled to its nearest samples in the method's space and pushed away
// from others. The same input gives the same layout.
#pragma once

#include <vector>

#include "math/matrix.hpp"

namespace paco::insight {

struct Place {
  double x = 0, y = 0;  // within -1 .. 1
};

// One place per unit row. The time grows with the square of the number of rows, so it is meant for
// some thousands.
std::vector<Place> neighbour_layout(const math::Matrix<float>& units);

}  // namespace paco::insight
