// Finds the two lowest numbers among the prototypes with one sample, without a search through all
// of them.
//
// A prototype with one sample has no spread and so no concentration. All such prototypes have the
// same attach score for every sample, and of equal scores the lowest numbers win. In a stream that
// brings one new class after the other, nearly all prototypes are of this kind.
#pragma once

#include <array>
#include <vector>

#include "paco/decision.hpp"

namespace paco::methods {

// Numbers are added in ascending order, each when its prototype starts with one sample. Whether it
// has more samples by now is checked only when the number is read. A number with more samples is
// skipped for good, so all calls together pass each number once.
class LonePrototypes {
 public:
  static constexpr PrototypeId kNone = -1;

  void clear() {
    numbers_.clear();
    first_ = second_ = 0;
  }
  void begins(PrototypeId number) { numbers_.push_back(number); }

  // The two lowest numbers for which `is_alone` is still true; kNone if there are fewer.
  template <class IsAlone>
  std::array<PrototypeId, 2> lowest(IsAlone is_alone) {
    if (first_ < numbers_.size() && !is_alone(numbers_[first_])) first_ = next(second_, is_alone);
    if (second_ <= first_) second_ = first_ + 1;
    second_ = next(second_, is_alone);
    return {at(first_), at(second_)};
  }

 private:
  template <class IsAlone>
  std::size_t next(std::size_t place, IsAlone is_alone) const {
    while (place < numbers_.size() && !is_alone(numbers_[place])) ++place;
    return place;
  }
  PrototypeId at(std::size_t place) const {
    return place < numbers_.size() ? numbers_[place] : kNone;
  }

  std::vector<PrototypeId> numbers_;
  std::size_t first_ = 0, second_ = 0;  // places; all below second_ except first_ have more samples
};

}  // namespace paco::methods
