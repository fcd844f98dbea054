// The adaptive birth boundary: a sample that is explained less well than this starts a new
// category. The boundary follows the mature categories of the stream. It is never higher than the
// boundary from the support set.
//
// It is updated incrementally: a change of one category costs time proportional to the logarithm of
// their number, because nothing is sorted anew. plain_boundary computes the same from scratch and
// is the reference for tests.
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

// A running median of integers, the sizes of mature categories. They are inserted and can only
// grow.
class MedianSize {
 public:
  void insert(std::int64_t size);
  void grow(std::int64_t size);  // one occurrence of size becomes size + 1
  void clear();
  double median() const;  // must not be empty

 private:
  std::map<std::int64_t, std::uint64_t> counts_;
  std::uint64_t total_ = 0;
  // The entry that holds the lower middle element. before_ is the number of elements before that
  // entry.
  std::map<std::int64_t, std::uint64_t>::const_iterator middle_ = counts_.end();
  std::uint64_t before_ = 0;
  void rebalance();
};

class AdaptiveBoundary {
 public:
  explicit AdaptiveBoundary(const PacoParameters& parameters);
  AdaptiveBoundary(const AdaptiveBoundary&) = delete;
  AdaptiveBoundary& operator=(const AdaptiveBoundary&) = delete;

  // Call this after a category has grown by one sample. `old_size` was its size before (0 for a new
  // one), `old_resultant` the length of its sum.
  void grown(std::int64_t old_size, double old_resultant, double new_resultant);
  // Recomputes everything from all categories. `each` is called with a function that takes the size
  // of a category and the length of its sum.
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
