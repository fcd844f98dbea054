// What held-out samples of known classes say about cosines: how strongly to weight them, and the
// usual cosine of a sample with its own class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/matrix.hpp"

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

// Cosines of held-out samples with all references. Every class has a reference.
struct HeldOut {
  math::Matrix<float> cosines;        // (n, K)
  std::vector<std::uint32_t> labels;  // (n)
  std::vector<double> own;            // (n) cosine with the own class, in double
  std::vector<double> other;          // (n) best cosine with another class
};

// embedded is (n, d), labels (n) are rows of references (K, d).
HeldOut held_out_cosines(Rows<const float> embedded, std::span<const std::uint32_t> labels,
                         Rows<const float> references);

struct HeldOutFit {
  double slope = 0;  // 1 / beta, beta the softmax slope of largest likelihood on a grid
  double sure = 0;   // median cosine with the own class
};

// How far the threshold can fall in a long stream. The cosines with the own class have a lower
// tail: `tail` is the mean distance of their lowest tenth below the 10 % quantile. `floor` is the
// lower quartile of the best cosine with another class.
struct LongStreamFit {
  double tail = 0;
  double floor = 0;
};
LongStreamFit fit_long_stream(std::span<const HeldOut> parts);

// Needs at least one sample.
HeldOutFit fit_held_out(std::span<const HeldOut> parts, core::ThreadPool& pool);

}  // namespace paco::methods
