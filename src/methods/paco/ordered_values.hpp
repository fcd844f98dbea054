// A sorted multiset of numbers in which any rank can be read, as a running median needs.
//
// Sorted buckets of at most 512 numbers with a running count before each. Insert and erase move the
// numbers of one bucket and the counts after it. Reading a rank is a binary search.
#pragma once

#include <cstddef>
#include <vector>

namespace paco::methods {

class OrderedValues {
 public:
  std::size_t size() const { return size_; }
  void insert(double value);
  void erase(double value);  // one occurrence, which must exist
  double operator[](std::size_t rank) const;

  // Median, and the (unscaled) median of the absolute deviations from it, as median() defines both.
  // Must not be empty.
  double median() const;
  double median_deviation(double around) const;

 private:
  std::size_t bucket_of(double value) const;
  void recount(std::size_t from);
  void join_neighbour(std::size_t bucket);

  std::vector<std::vector<double>> buckets_;
  std::vector<std::size_t> before_;  // numbers in all earlier buckets
  std::size_t size_ = 0;
};

}  // namespace paco::methods
