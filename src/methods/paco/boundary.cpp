#include "methods/paco/boundary.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "math/median.hpp"
#include "methods/common/von_mises_fisher.hpp"

namespace paco::methods {
namespace {

// The boundary from the three medians of the mature categories.
Boundary mixed(const PacoParameters& p, double level, double deviation, double size) {
  const double bank = level - deviation;
  const double eta = size / (size + p.base_median);
  return {std::min(p.tau_birth_sup, (1 - eta) * p.tau_birth_sup + eta * bank), eta};
}

}  // namespace

void MedianSize::insert(std::int64_t size) {
  ++counts_[size];
  ++total_;
  if (middle_ == counts_.end()) {
    middle_ = counts_.begin();
  } else if (size < middle_->first) {
    ++before_;
  }
  rebalance();
}

void MedianSize::grow(std::int64_t size) {
  const auto old = counts_.find(size);
  assert(old != counts_.end());
  ++counts_[size + 1];
  if (size < middle_->first && size + 1 == middle_->first) --before_;
  if (--old->second == 0) {
    if (middle_ == old)
      ++middle_;  // size + 1 exists, so it is the next entry, and the count before it is unchanged
    counts_.erase(old);
  }
  rebalance();
}

void MedianSize::clear() {
  counts_.clear();
  total_ = before_ = 0;
  middle_ = counts_.end();
}

// Moves to the entry that holds element (total - 1) / 2.
void MedianSize::rebalance() {
  const std::uint64_t rank = (total_ - 1) / 2;
  while (before_ > rank) {
    --middle_;
    before_ -= middle_->second;
  }
  while (before_ + middle_->second <= rank) {
    before_ += middle_->second;
    ++middle_;
  }
}

double MedianSize::median() const {
  const auto lower = static_cast<double>(middle_->first);
  if (total_ % 2 == 1) return lower;
  const bool same = before_ + middle_->second > total_ / 2;
  return same ? lower : (lower + static_cast<double>(std::next(middle_)->first)) / 2;
}

AdaptiveBoundary::AdaptiveBoundary(const PacoParameters& parameters)
    : parameters_(parameters),
      mature_size_(parameters.mature_size()),
      now_{parameters.tau_birth_sup, 0} {}

void AdaptiveBoundary::grown(std::int64_t old_size, double old_resultant, double new_resultant) {
  const std::int64_t size = old_size + 1;
  if (size < mature_size_) return;
  const bool was_mature = old_size > 0 && old_size >= mature_size_;
  if (was_mature) {
    levels_.erase(
        birth_level(old_resultant, old_size, parameters_.options.temperature, parameters_.log_p0));
    sizes_.grow(old_size);
  } else {
    sizes_.insert(size);
  }
  levels_.insert(
      birth_level(new_resultant, size, parameters_.options.temperature, parameters_.log_p0));
  update();
}

void AdaptiveBoundary::insert(std::int64_t size, double resultant) {
  if (size < mature_size_) return;
  sizes_.insert(size);
  levels_.insert(birth_level(resultant, size, parameters_.options.temperature, parameters_.log_p0));
}

void AdaptiveBoundary::update() {
  if (!parameters_.options.adaptive_birth || levels_.size() < 2) {
    now_ = {parameters_.tau_birth_sup, 0};
    return;
  }
  const double level = levels_.median();
  now_ = mixed(parameters_, level, levels_.median_deviation(level), sizes_.median());
}

Boundary plain_boundary(const PacoParameters& p, std::span<const std::int64_t> sizes,
                        std::span<const double> resultants) {
  std::vector<double> levels, mature_sizes;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] < p.mature_size()) continue;
    levels.push_back(birth_level(resultants[k], sizes[k], p.options.temperature, p.log_p0));
    mature_sizes.push_back(static_cast<double>(sizes[k]));
  }
  if (!p.options.adaptive_birth || levels.size() < 2) return {p.tau_birth_sup, 0};
  const double level = math::median(levels);
  std::vector<double> deviations;
  for (const double x : levels) deviations.push_back(std::abs(x - level));
  return mixed(p, level, math::median(deviations), math::median(mature_sizes));
}

}  // namespace paco::methods
