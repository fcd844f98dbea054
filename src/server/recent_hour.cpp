#include "server/recent_hour.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace paco::server {
namespace {

constexpr double kFirstDelay = 1e-5;  // seconds; shorter delays count as this
constexpr double kPerDoubling = 4;

}  // namespace

RecentHour::Counts& RecentHour::counts_at(std::int64_t now) {
  if (counts_.empty()) counts_.resize(kSteps);
  const std::int64_t step = now / kStep;
  Counts& counts = counts_[static_cast<std::size_t>(step) % kSteps];
  if (counts.step != step) counts = Counts{step, 0, 0, 0, {}};
  return counts;
}

void RecentHour::add_samples(std::int64_t now, std::uint64_t samples, std::uint64_t births) {
  const std::lock_guard lock(mutex_);
  Counts& counts = counts_at(now);
  counts.samples += samples;
  counts.births += births;
}

void RecentHour::add_answer(std::int64_t now, double seconds) {
  const double steps = kPerDoubling * std::log2(std::max(seconds, kFirstDelay) / kFirstDelay);
  const auto at = std::min(kDelays - 1, static_cast<std::size_t>(steps));
  const std::lock_guard lock(mutex_);
  Counts& counts = counts_at(now);
  ++counts.answers;
  ++counts.delays[at];
}

double RecentHour::quantile_ms(const Counts& counts, double share) {
  if (counts.answers == 0) return std::numeric_limits<double>::quiet_NaN();
  const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(counts.answers));
  std::uint64_t before = 0;
  std::size_t at = 0;
  while (at + 1 < kDelays && before + counts.delays[at] <= wanted) before += counts.delays[at++];
  return 1e3 * kFirstDelay * std::exp2((static_cast<double>(at) + 0.5) / kPerDoubling);
}

std::vector<RecentHour::Step> RecentHour::steps(std::int64_t now) const {
  const std::lock_guard lock(mutex_);
  std::vector<Step> out;
  if (counts_.empty()) return out;
  const std::int64_t last = now / kStep;
  for (std::int64_t step = last - static_cast<std::int64_t>(kSteps) + 1; step <= last; ++step) {
    const Counts& counts = counts_[static_cast<std::size_t>(step) % kSteps];
    const bool is_here = counts.step == step;
    if (out.empty() && !is_here) continue;
    const Counts shown = is_here ? counts : Counts{};
    out.push_back({step * kStep, shown.samples, shown.births, quantile_ms(shown, 0.5),
                   quantile_ms(shown, 0.99)});
  }
  return out;
}

}  // namespace paco::server
