#include "calibrate/threshold.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace paco {
namespace {

double place(double low, double high, Tie tie) {
  switch (tie) {
    case Tie::low: return std::nextafter(low, std::numeric_limits<double>::infinity());
    case Tie::high: return high;
    case Tie::mid: break;
  }
  return 0.5 * (low + high);
}

}  // namespace

ThresholdEvidence choose_threshold(std::span<const double> positives, std::span<const double> negatives, Tie tie) {
  assert(!positives.empty() && !negatives.empty());
  std::vector<double> pass(positives.begin(), positives.end());
  std::vector<double> fail(negatives.begin(), negatives.end());
  std::sort(pass.begin(), pass.end());
  std::sort(fail.begin(), fail.end());
  const auto passes = static_cast<std::int64_t>(pass.size());
  const auto fails = static_cast<std::int64_t>(fail.size());

  ThresholdEvidence best;
  std::int64_t best_weight = -1;
  std::size_t p = 0, f = 0;  // scores below the current distinct value
  double previous = 0;
  for (bool first = true; p < pass.size() || f < fail.size(); first = false) {
    const double value = f == fail.size() || (p < pass.size() && pass[p] < fail[f]) ? pass[p] : fail[f];
    // A threshold in (previous, value] passes every positive but the p below, and fails f negatives.
    const std::int64_t weight = (passes - static_cast<std::int64_t>(p)) * fails + static_cast<std::int64_t>(f) * passes;
    if (weight > best_weight) {
      best_weight = weight;
      best.value = first ? value : place(previous, value, tie);
      best.interval_low = first ? value : previous;
      best.interval_high = value;
      best.balanced_accuracy = 0.5 * (static_cast<double>(passes - static_cast<std::int64_t>(p)) /
                                          static_cast<double>(passes) +
                                      static_cast<double>(f) / static_cast<double>(fails));
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
