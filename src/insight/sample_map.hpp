// A layout of samples in two dimensions in which neighbours stay neighbours: the principal axes to
// begin with, then each sample is drawn to those that are nearest to it in the method's space and
// pushed away from others. The same input gives the same layout.
#pragma once

#include <vector>

#include "math/matrix.hpp"

namespace paco::insight {

struct Place {
  double x = 0, y = 0;  // within -1 .. 1
};

// One place for each unit row. The time grows with the square of the rows: for some thousands.
std::vector<Place> neighbour_layout(const math::Matrix<float>& units);

}  // namespace paco::insight
