// The samples that are kept for rehearsal: a ring with the embeddings of the latest ones and where
// each is filed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "math/matrix.hpp"
#include "methods/mirror/rule.hpp"

namespace paco::methods {

class Stored {
 public:
  struct Entry {
    std::int64_t prototype = kNoPrototype;
    bool counted = false;  // it has no share in a sum
    // The best reference never changes unless references come and go: looked for once.
    std::int64_t known = kNoPrototype;
    double known_cosine = kNoCosine;
    std::uint64_t version = 0;  // of the references then; 0: not looked for
  };

  // Room for `buffer` samples and those of the block being decided.
  Stored(std::size_t buffer, std::size_t block, std::size_t dimension)
      : buffer_(buffer), entries_(buffer + block), embeddings_(buffer + block, dimension) {}

  std::size_t place(std::uint64_t sequence) const { return sequence % entries_.size(); }
  Entry& entry(std::uint64_t sequence) { return entries_[place(sequence)]; }
  const Entry& entry(std::uint64_t sequence) const { return entries_[place(sequence)]; }
  const float* embedding(std::uint64_t sequence) const {
    return embeddings_[place(sequence)].data();
  }
  Rows<const float> embeddings() const { return embeddings_; }

  void put(std::uint64_t sequence, std::span<const float> v) {
    std::copy(v.begin(), v.end(), embeddings_[place(sequence)].begin());
    entry(sequence) = {};
  }
  // Is one of the samples before `end` still kept?
  bool keeps(std::uint64_t sequence, std::uint64_t end) const {
    return sequence < end && sequence + kept(end) >= end;
  }
  // How many of the samples before `sequence` are kept.
  std::size_t kept(std::uint64_t sequence) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(sequence, buffer_));
  }

 private:
  std::size_t buffer_;
  std::vector<Entry> entries_;
  math::Matrix<float> embeddings_;
};

}  // namespace paco::methods
