// The two lowest numbers among the prototypes of one sample, without looking at all of them.
//
// A prototype of one sample has no spread and so no concentration: whatever the sample, it has the
// attach score of every other such prototype, and of equal ones the lowest numbers win. In a stream
// that brings one new thing after the other nearly all prototypes are of this kind.
#pragma once

#include <array>
#include <vector>

#include "paco/decision.hpp"

namespace paco::methods {

// Numbers come in ascending order, each when it begins with one sample; that it has more by now is
// found out when it is looked at. Looking at one number once is all that is ever done for it.
class LonePrototypes {
 public:
  static constexpr PrototypeId kNone = -1;

  void clear() {
    numbers_.clear();
    first_ = second_ = 0;
  }
  void begins(PrototypeId number) { numbers_.push_back(number); }

  // The two lowest of those that `is_alone` still says yes of; kNone where there are fewer.
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
  std::size_t first_ = 0, second_ = 0;  // places; all below second_ but first_ have more samples
};

}  // namespace paco::methods
