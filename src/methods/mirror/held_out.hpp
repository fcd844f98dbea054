// What held-out samples of known classes say about cosines: how steeply they have to be weighed,
// and how close a sample of a class usually comes to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/matrix.hpp"

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

// Cosines of held-out samples with all references. A class without reference does not occur.
struct HeldOut {
  math::Matrix<float> cosines;        // (n, K)
  std::vector<std::uint32_t> labels;  // (n)
  std::vector<double> own;            // (n) cosine with the own class, to more digits
  std::vector<double> other;          // (n) best cosine with another class
};

// embedded is (n, d), labels (n) are rows of references (K, d).
HeldOut held_out_cosines(Rows<const float> embedded, std::span<const std::uint32_t> labels,
                         Rows<const float> references);

struct HeldOutFit {
  double slope = 0;  // 1 / beta, beta the softmax slope of largest likelihood on a grid
  double sure = 0;   // median cosine with the own class
};

// How far the threshold may fall in a long stream. Cosines with the own class have a tail: `tail`
// is by how much the lowest tenth of them lies below the others, on average. `floor` is the lower
// quartile of the best cosine with another class.
struct LongStreamFit {
  double tail = 0;
  double floor = 0;
};
LongStreamFit fit_long_stream(std::span<const HeldOut> parts);

// Of one sample or more.
HeldOutFit fit_held_out(std::span<const HeldOut> parts, core::ThreadPool& pool);

}  // namespace paco::methods
