// A growing array whose copies are cheap: they share every part that has not been edited since.
//
// For a writer that goes on while readers keep a copy of some moment: share() costs a few pointers
// for ten thousand elements, and the first edit of a part after it copies that part. Thread rule:
// one writer edits and shares; a shared copy is immutable and may be read anywhere.
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

  // A copy for readers. Parts edited from now on are copied first.
  PersistentArray share() {
    PersistentArray copy = *this;
    ++epoch_;
    return copy;
  }

 private:
  static constexpr std::size_t kLeaf = 64, kFan = 64, kBranch = kLeaf * kFan;

  // A part belongs to the writer alone while its epoch is the present one.
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
