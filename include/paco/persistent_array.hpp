// A growing array with cheap copies: copies share every part that has not been edited since.
//
// One writer keeps editing while readers hold a copy of some moment. share() costs a few pointers
// for ten thousand elements; the first edit of a part after it copies that part. Thread rule: one
// writer edits and shares; a shared copy is immutable and may be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace paco {

template <class T>
class PersistentArray {
 public:
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const {
    return leaves_[i / kBranch]->leaves[i / kLeaf % kFan]->values[i % kLeaf];
  }

  T& edit(std::size_t i) {
    Branch& branch = own(leaves_[i / kBranch]);
    return own(branch.leaves[i / kLeaf % kFan]).values[i % kLeaf];
  }
  T& push_back(T value) {
    if (size_ % kBranch == 0) leaves_.push_back(std::make_shared<Branch>(epoch_));
    if (size_ % kLeaf == 0)
      own(leaves_.back()).leaves[size_ / kLeaf % kFan] = std::make_shared<Leaf>(epoch_);
    ++size_;
    T& place = edit(size_ - 1);
    place = std::move(value);
    return place;
  }

  // Returns a copy for readers. A part that is edited after this call is copied first.
  PersistentArray share() {
    PersistentArray copy = *this;
    ++epoch_;
    return copy;
  }

 private:
  static constexpr std::size_t kLeaf = 64, kFan = 64, kBranch = kLeaf * kFan;

  // The writer may edit a part in place only if the epoch of the part is the current one.
  struct Leaf {
    explicit Leaf(std::uint64_t now) : epoch(now) {}
    std::uint64_t epoch;
    T values[kLeaf] = {};
  };
  struct Branch {
    explicit Branch(std::uint64_t now) : epoch(now) {}
    std::uint64_t epoch;
    std::shared_ptr<Leaf> leaves[kFan];
  };

  template <class Part>
  Part& own(std::shared_ptr<Part>& part) {
    if (part->epoch != epoch_) {
      part = std::make_shared<Part>(*part);
      part->epoch = epoch_;
    }
    return *part;
  }

  std::size_t size_ = 0;
  std::uint64_t epoch_ = 0;
  std::vector<std::shared_ptr<Branch>> leaves_;
};

}  // namespace paco
