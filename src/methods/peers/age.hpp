// The parts of the AGE-like method that its calibration and its decisions share. "Like", because
// the original's code is unpublished: the test for a new category and what stays fixed are our
// reading.
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
// Of the classes that take part; at least one must. The lowest index wins a tie.
Confidence confidence(std::span<const float> cosines, std::span<const std::uint8_t> takes_part);

// Where densities live: directions of most variance about the support set's mean.
struct AgeSpace {
  math::Matrix<float> basis;  // (p, d)
  std::vector<double> mean;   // (d)

  math::Matrix<double> project(Rows<const float> units) const;
};

// (1 - a) of the rows' shrunk covariance and a of that of the whole support set, with a = 2 / (n +
// 2); of a single row, all of the latter.
math::Matrix<double> blended_covariance(Rows<const double> rows, const math::Matrix<double>& all);

}  // namespace paco::methods
