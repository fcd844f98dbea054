// The threshold rule: chooses the value that best separates scores that should pass from scores
// that should not.
#pragma once

#include <span>

#include "paco/thresholds.hpp"

namespace paco::methods {

// Maximises 0.5 * (share of positives >= tau + share of negatives < tau). The accuracy is constant
// between neighbouring distinct scores; of the best such intervals (low, high] the lowest is taken,
// and `tie` says where in it to stand. Both sets must be non-empty. The share of positives is
// computed as 1 - (share below tau), in double, and accuracies are compared as they come out: the
// recorded answers depend on this down to the last bit.
ThresholdEvidence choose_threshold(std::span<const double> positives,
                                   std::span<const double> negatives, Tie tie);

}  // namespace paco::methods
