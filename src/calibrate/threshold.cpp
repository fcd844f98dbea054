#include "calibrate/threshold.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace paco {
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
  return middle > low ? middle : high;  // between neighbouring doubles there is no middle
}

}  // namespace

ThresholdEvidence choose_threshold(std::span<const double> positives,
                                   std::span<const double> negatives, Tie tie) {
  assert(!positives.empty() && !negatives.empty());
  std::vector<double> pass(positives.begin(), positives.end());
  std::vector<double> fail(negatives.begin(), negatives.end());
  std::sort(pass.begin(), pass.end());
  std::sort(fail.begin(), fail.end());
  const auto passes = static_cast<double>(pass.size());
  const auto fails = static_cast<double>(fail.size());

  ThresholdEvidence best;
  best.balanced_accuracy = -1;
  std::size_t p = 0, f = 0;  // scores below the current distinct value
  double previous = 0;
  for (bool first = true; p < pass.size() || f < fail.size(); first = false) {
    const double value =
        f == fail.size() || (p < pass.size() && pass[p] < fail[f]) ? pass[p] : fail[f];
    // A threshold in (previous, value] passes every positive but the p below, and fails f
    // negatives.
    const double accuracy =
        0.5 * ((1 - static_cast<double>(p) / passes) + static_cast<double>(f) / fails);
    if (accuracy > best.balanced_accuracy) {
      best.balanced_accuracy = accuracy;
      best.value = first ? value : place(previous, value, tie);
      best.interval_low = first ? value : previous;
      best.interval_high = value;
    }
    while (p < pass.size() && pass[p] == value) ++p;
    while (f < fail.size() && fail[f] == value) ++f;
    previous = value;
  }
  best.positives.assign(positives.begin(), positives.end());
  best.negatives.assign(negatives.begin(), negatives.end());
  return best;
}

}  // namespace paco
