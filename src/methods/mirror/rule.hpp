// The formulas of the rule that its plain form and the fast one share. How prototypes are searched
// is written twice, on purpose.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "math/logarithm.hpp"
#include "methods/mirror/mirror_evidence.hpp"
#include "methods/mirror/model.hpp"

namespace paco::methods {

// L: with half of a known class's samples at `sure` or more, an estimate of the samples per class.
inline double stream_length(const MirrorModel& model, std::uint64_t confident) {
  return std::max(1.0, 2 * static_cast<double>(confident) / static_cast<double>(model.known()));
}

// The longer the stream, the rarer a birth. From kLongStream samples a class on the threshold falls
// with the tail of the own-class cosines if that is the steeper way; it never falls below where a
// quarter of the samples meet a class that is not theirs.
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

// Cosine of a member with the sum of the others, from its product with the whole sum, the squared
// length of the whole sum and its own.
inline double cosine_without(double product, double sum_squared, double own_squared) {
  constexpr double kLeast = 1e-12;
  return (product - own_squared) /
         std::sqrt(std::max(sum_squared - 2 * product + own_squared, kLeast));
}

// Components of embeddings are multiples of 2^-28, finer than float32 where it matters. So sums of
// some 30 million of them are exact in double: a sum is the same whatever order its members came
// and left in, and an operation that is undone leaves no trace.
inline constexpr double kGridShift = 1.5 * (1 << 24);  // numbers of this size have that last bit
inline float on_grid(double component) {
  return static_cast<float>((component + kGridShift) - kGridShift);
}

}  // namespace paco::methods
