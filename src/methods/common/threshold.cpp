#include "methods/common/threshold.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace paco::methods {
namespace {

double place(double low, double high, Tie tie) {
  switch (tie) {
    case Tie::low:
      return std::nextafter(low, std::numeric_limits<double>::infinity());
    case Tie::high:
      return high;
    case Tie::mid:
      break;
  }
  const double middle = 0.5 * (low + high);
  return middle > low ? middle : high;  // neighbouring doubles have no value between them
}

}  // namespace

// The accuracy does not increase if only positives fall below the threshold. So the best interval
// begins at a negative score, or it is the first one. It is therefore enough to sort the negatives
// and to count each positive between its two neighbouring negatives.
ThresholdEvidence choose_threshold(std::span<const double> positives,
                                   std::span<const double> negatives, Tie tie) {
  assert(!positives.empty() && !negatives.empty());
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> fail(negatives.begin(), negatives.end());
  std::sort(fail.begin(), fail.end());
  // Gap i holds the positives above fail[i - 1] and not above fail[i].
  struct Gap {
    std::size_t positives = 0;
    double smallest = kNone;
  };
  std::vector<Gap> gaps(fail.size() + 1);
  for (const double score : positives) {
    const auto above = std::lower_bound(fail.begin(), fail.end(), score);
    Gap& gap = gaps[static_cast<std::size_t>(above - fail.begin())];
    ++gap.positives;
    gap.smallest = std::min(gap.smallest, score);
  }

  const auto passes = static_cast<double>(positives.size());
  const auto fails = static_cast<double>(negatives.size());
  ThresholdEvidence best;
  best.value = best.interval_low = best.interval_high = std::min(gaps[0].smallest, fail[0]);
  best.balanced_accuracy = 0.5;
  std::size_t below = 0;  // positives that are no larger than fail[f - 1]
  for (std::size_t f = 1; f <= fail.size(); ++f) {
    below += gaps[f - 1].positives;
    const double low = fail[f - 1];
    const double high = std::min(gaps[f].smallest, f < fail.size() ? fail[f] : kNone);
    if (high == low || high == kNone) continue;  // a repeated negative, or the last score
    // A threshold in (low, high] passes all positives except the `below` lowest, and fails f
    // negatives.
    const double accuracy =
        0.5 * ((1 - static_cast<double>(below) / passes) + static_cast<double>(f) / fails);
    if (accuracy > best.balanced_accuracy) {
      best.balanced_accuracy = accuracy;
      best.value = place(low, high, tie);
      best.interval_low = low;
      best.interval_high = high;
    }
  }
  best.positives.assign(positives.begin(), positives.end());
  best.negatives.assign(negatives.begin(), negatives.end());
  return best;
}

}  // namespace paco::methods
