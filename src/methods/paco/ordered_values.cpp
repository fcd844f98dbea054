#include "methods/paco/ordered_values.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace paco::methods {
namespace {

constexpr std::size_t kMostInBucket = 512;
constexpr std::size_t kFewInBucket = 64;
constexpr std::size_t kGrowth = 32;  // small spare capacity: memory per category is limited

}  // namespace

// The first bucket whose last number is not below the value; the last bucket if there is none.
std::size_t OrderedValues::bucket_of(double value) const {
  const auto found =
      std::partition_point(buckets_.begin(), buckets_.end(),
                           [&](const std::vector<double>& b) { return b.back() < value; });
  const auto index = static_cast<std::size_t>(found - buckets_.begin());
  return std::min(index, buckets_.size() - 1);
}

void OrderedValues::recount(std::size_t from) {
  before_.resize(buckets_.size());
  for (std::size_t b = from; b < buckets_.size(); ++b)
    before_[b] = b == 0 ? 0 : before_[b - 1] + buckets_[b - 1].size();
}

void OrderedValues::insert(double value) {
  if (buckets_.empty()) {
    buckets_.emplace_back();
    buckets_.back().push_back(value);
    recount(0);
    ++size_;
    return;
  }
  const std::size_t b = bucket_of(value);
  std::vector<double>& bucket = buckets_[b];
  if (bucket.size() == bucket.capacity()) bucket.reserve(bucket.size() + kGrowth);
  bucket.insert(std::upper_bound(bucket.begin(), bucket.end(), value), value);
  ++size_;
  if (bucket.size() <= kMostInBucket) {
    for (std::size_t later = b + 1; later < before_.size(); ++later) ++before_[later];
    return;
  }
  const auto middle = bucket.begin() + static_cast<std::ptrdiff_t>(bucket.size() / 2);
  std::vector<double> upper(middle, bucket.end());
  std::vector<double> lower(bucket.begin(), middle);
  buckets_[b] = std::move(lower);
  buckets_.insert(buckets_.begin() + static_cast<std::ptrdiff_t>(b + 1), std::move(upper));
  recount(b);
}

void OrderedValues::erase(double value) {
  assert(size_ > 0);
  const std::size_t b = bucket_of(value);
  std::vector<double>& bucket = buckets_[b];
  const auto found = std::lower_bound(bucket.begin(), bucket.end(), value);
  assert(found != bucket.end() && *found == value);
  bucket.erase(found);
  --size_;
  if (bucket.empty()) {
    buckets_.erase(buckets_.begin() + static_cast<std::ptrdiff_t>(b));
    recount(b);
  } else if (bucket.size() < kFewInBucket && buckets_.size() > 1) {
    join_neighbour(b);
  } else {
    for (std::size_t later = b + 1; later < before_.size(); ++later) --before_[later];
  }
}

// Merges a nearly empty bucket with a neighbour. Values change over time and leave few numbers in
// their old buckets; without this such buckets would remain.
void OrderedValues::join_neighbour(std::size_t b) {
  const std::size_t left = b > 0 ? b - 1 : b;
  const std::vector<double>& right = buckets_[left + 1];
  if (buckets_[left].size() + right.size() <= kMostInBucket / 2) {
    std::vector<double> joined = buckets_[left];
    joined.insert(joined.end(), right.begin(), right.end());
    buckets_[left] = std::move(joined);
    buckets_.erase(buckets_.begin() + static_cast<std::ptrdiff_t>(left + 1));
  } else if (buckets_[b].capacity() > 2 * kFewInBucket) {
    buckets_[b].shrink_to_fit();
  }
  recount(left);
}

double OrderedValues::operator[](std::size_t rank) const {
  assert(rank < size_);
  if (buckets_.size() == 1) return buckets_.front()[rank];
  const auto after = std::upper_bound(before_.begin(), before_.end(), rank);
  const auto b = static_cast<std::size_t>(after - before_.begin()) - 1;
  return buckets_[b][rank - before_[b]];
}

double OrderedValues::median() const {
  const std::size_t half = size_ / 2;
  return size_ % 2 == 1 ? (*this)[half] : ((*this)[half - 1] + (*this)[half]) / 2;
}

// Deviations grow away from the centre on both sides, so they form two sorted sequences: `below` of
// them going down from the centre, and the others going up. Binary search for the number of
// elements taken from below finds a rank in the merged sequence.
double OrderedValues::median_deviation(double around) const {
  std::size_t below = 0;
  for (std::size_t step = size_, left = 0; step > 0;) {
    const std::size_t half = step / 2;
    if ((*this)[left + half] < around) {
      left += half + 1;
      step -= half + 1;
    } else {
      step = half;
    }
    below = left;
  }
  const std::size_t above = size_ - below;
  const auto down = [&](std::size_t i) { return std::abs((*this)[below - 1 - i] - around); };
  const auto up = [&](std::size_t i) { return std::abs((*this)[below + i] - around); };
  const auto ranked = [&](std::size_t rank) {
    // Take `t` from below and rank - t from above; find the smallest t that leaves no smaller
    // deviation below untaken.
    std::size_t low = rank >= above ? rank - above : 0;
    std::size_t high = std::min(rank, below);
    while (low < high) {
      const std::size_t t = (low + high) / 2;
      if (down(t) < up(rank - t - 1)) {
        low = t + 1;
      } else {
        high = t;
      }
    }
    const std::size_t t = low, s = rank - low;
    if (t == below) return up(s);
    if (s == above) return down(t);
    return std::min(down(t), up(s));
  };
  const std::size_t half = size_ / 2;
  return size_ % 2 == 1 ? ranked(half) : (ranked(half - 1) + ranked(half)) / 2;
}

}  // namespace paco::methods
