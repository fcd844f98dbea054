// The adaptive birth boundary: how well a sample must be explained not to start a new category, as
// the stream's own mature categories suggest it. It can only be lower than where the support set
// put it.
//
// Kept incrementally: a category's change costs a logarithm of their number, not a sort.
// plain_boundary computes the same from scratch and checks it.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "methods/paco/ordered_values.hpp"
#include "paco/thresholds.hpp"

namespace paco::methods {

struct Boundary {
  double tau_birth = 0;
  double eta = 0;  // weight of the stream's categories against the support set
};

// A running median of whole numbers that are inserted and then only grow: the sizes of mature
// categories.
class MedianSize {
 public:
  void insert(std::int64_t size);
  void grow(std::int64_t size);  // one occurrence of size becomes size + 1
  void clear();
  double median() const;  // not empty

 private:
  std::map<std::int64_t, std::uint64_t> counts_;
  std::uint64_t total_ = 0;
  // The entry that holds the lower middle element, and how many elements stand before that entry.
  std::map<std::int64_t, std::uint64_t>::const_iterator middle_ = counts_.end();
  std::uint64_t before_ = 0;
  void rebalance();
};

class AdaptiveBoundary {
 public:
  explicit AdaptiveBoundary(const PacoParameters& parameters);
  AdaptiveBoundary(const AdaptiveBoundary&) = delete;
  AdaptiveBoundary& operator=(const AdaptiveBoundary&) = delete;

  // A category has grown by one sample; its size was `old_size` (0 for a new one) and its sum had
  // this length.
  void grown(std::int64_t old_size, double old_resultant, double new_resultant);
  // All categories anew; `each` is called with a function that takes the size of one and the length
  // of its sum.
  template <class Each>
  void rebuild(Each each) {
    levels_ = {};
    sizes_.clear();
    each([this](std::int64_t size, double resultant) { insert(size, resultant); });
    update();
  }

  const Boundary& now() const { return now_; }
  std::size_t mature() const { return levels_.size(); }

 private:
  void insert(std::int64_t size, double resultant);
  void update();

  const PacoParameters& parameters_;
  std::int64_t mature_size_;
  OrderedValues levels_;  // lambda of every mature category
  MedianSize sizes_;
  Boundary now_;
};

Boundary plain_boundary(const PacoParameters& parameters, std::span<const std::int64_t> sizes,
                        std::span<const double> resultants);

}  // namespace paco::methods
