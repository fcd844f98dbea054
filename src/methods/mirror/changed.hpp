// Which prototypes have changed since somebody last asked: each number once, so that the list is no
// longer than there are prototypes, whether anybody asks or not.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace paco::methods {

class ChangedNumbers {
 public:
  void note(std::int64_t number) {
    const auto i = static_cast<std::size_t>(number);
    if (i >= noted_.size()) noted_.resize(i + 1, 0);
    if (noted_[i] != 0) return;
    noted_[i] = 1;
    numbers_.push_back(number);
  }
  std::vector<std::int64_t> take() {
    for (const std::int64_t number : numbers_) noted_[static_cast<std::size_t>(number)] = 0;
    return std::exchange(numbers_, {});
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::vector<std::uint8_t> noted_;
};

}  // namespace paco::methods
