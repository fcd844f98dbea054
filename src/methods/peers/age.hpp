// The parts of the AGE-like method that its calibration and its decisions share. It is called
// "like" AGE because the original's code is unpublished. The test for a new category and the choice
// of what stays fixed are our interpretation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "methods/peers/gaussians.hpp"

namespace paco::methods {

inline constexpr double kAgeScale = 16;    // of cosines, as logits
inline constexpr double kAgeFloor = 1e-5;  // added to every variance

struct Confidence {
  std::size_t best = 0;
  double value = 0;  // of the softmax
};
// Over the classes that take part; there must be at least one. If values are equal, the lowest
// index wins.
Confidence confidence(std::span<const float> cosines, std::span<const std::uint8_t> takes_part);

// The space of the densities: the directions of largest variance around the support set's mean.
struct AgeSpace {
  math::Matrix<float> basis;  // (p, d)
  std::vector<double> mean;   // (d)

  math::Matrix<double> project(Rows<const float> units) const;
};

// The weighted mean of two covariances: 1 - a times the shrunk covariance of the rows, and a times
// that of the whole support set, with a = 2 / (n + 2). If there is one row, only the second is
// used.
math::Matrix<double> blended_covariance(Rows<const double> rows, const math::Matrix<double>& all);

}  // namespace paco::methods
