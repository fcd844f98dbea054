// The formulas that the plain and the fast form of mirror share. The search for prototypes is
// written twice on purpose, so that the two forms check each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "math/logarithm.hpp"
#include "methods/mirror/mirror_evidence.hpp"
#include "methods/mirror/model.hpp"

namespace paco::methods {

// L: an estimate of the samples per class. It assumes that half of a known class's samples have a
// cosine of at least `sure`.
inline double stream_length(const MirrorModel& model, std::uint64_t confident) {
  return std::max(1.0, 2 * static_cast<double>(confident) / static_cast<double>(model.known()));
}

// The longer the stream, the rarer is a new category, so the threshold falls. From kLongStream
// samples per class on, it follows the tail of the own-class cosines if that is steeper. It never
// falls below the floor, the cosine that three quarters of the samples exceed with another class.
inline constexpr double kLongStream = 10;
inline double threshold_at(const MirrorModel& model, double length) {
  double threshold = model.start - model.slope * math::exact_log(length);
  if (length > kLongStream)
    threshold -= std::max(0.0, model.tail - model.slope) * math::exact_log(length / kLongStream);
  return std::max(threshold, std::min(model.start, model.floor));
}

inline ThresholdBy threshold_by(const MirrorModel& model, double length, double threshold) {
  if (length > 1 && threshold <= std::min(model.start, model.floor)) return ThresholdBy::floor;
  return length > kLongStream && model.tail > model.slope ? ThresholdBy::tail : ThresholdBy::slope;
}

// Cosine of a member with the sum of the other members, from its product with the whole sum, the
// squared length of the whole sum and its own squared length.
inline double cosine_without(double product, double sum_squared, double own_squared) {
  constexpr double kLeast = 1e-12;
  return (product - own_squared) /
         std::sqrt(std::max(sum_squared - 2 * product + own_squared, kLeast));
}

// Components of embeddings are multiples of 2^-28, finer than float32 for the components that
// matter. So sums of about 30 million of them are exact in double. A sum does not depend on the
// order in which members joined and left, and an undone operation leaves no difference.
inline constexpr double kGridShift = 1.5 * (1 << 24);  // numbers of this size have that last bit
inline float on_grid(double component) {
  return static_cast<float>((component + kGridShift) - kGridShift);
}

}  // namespace paco::methods
