// The formulas of the rule that the plain form and the engine share. How prototypes are searched,
// moved and kept is written twice, on purpose.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "math/logarithm.hpp"
#include "methods/mirror/model.hpp"
#include "methods/mirror/state.hpp"
#include "paco/result.hpp"

namespace paco::methods {

inline constexpr double kNoCosine = std::numeric_limits<double>::quiet_NaN();

// L: with half of a known class's samples at `sure` or more, an estimate of the samples per class.
inline double stream_length(const MirrorModel& model, std::uint64_t confident) {
  return std::max(1.0, 2 * static_cast<double>(confident) / static_cast<double>(model.known()));
}

// The longer the stream, the rarer a birth.
inline double threshold_at(const MirrorModel& model, double length) {
  return model.start - model.slope * math::exact_log(length);
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

// The best prototypes offered so far; of equal ones the lower number is better.
struct NearestTwo {
  std::int64_t first = kNoPrototype, second = kNoPrototype;
  double cosine = kNoCosine, second_cosine = kNoCosine;

  static bool better(double cosine, std::int64_t number, double than, std::int64_t than_number) {
    return than_number == kNoPrototype || cosine > than || (cosine == than && number < than_number);
  }
  void offer(std::int64_t number, double value) {
    if (better(value, number, cosine, first)) {
      second = first;
      second_cosine = cosine;
      first = number;
      cosine = value;
    } else if (better(value, number, second_cosine, second)) {
      second = number;
      second_cosine = value;
    }
  }
};

// The state fits the model and its numbers do not contradict each other, or an error says what
// does. `what` begins the message.
Result<void> check_mirror_state(const MirrorState& state, const MirrorModel& model,
                                const std::string& what);

// A state before the first sample.
inline MirrorState first_state(const MirrorModel& model) {
  MirrorState state;
  const std::size_t known = model.known();
  state.next_prototype = state.next_category = static_cast<std::int64_t>(known);
  state.answered.assign(known, 0);
  state.reference_competing.assign(known, 1);
  state.reference_counted.assign(known, 0);
  for (std::size_t k = 0; k < known; ++k)
    state.reference_categories.push_back(static_cast<std::int64_t>(k));
  return state;
}

}  // namespace paco::methods
