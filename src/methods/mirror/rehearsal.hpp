// The samples that mirror stores for rehearsal: the latest ones with their embeddings, the
// prototype of each, and which of them the user has moved.
//
// A moved sample stays at its new place; rehearsal skips it. The memory is limited by the size of
// the buffer and the number of the user's moves, not by the length of the stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "math/matrix.hpp"
#include "methods/common/prototype_table.hpp"

namespace paco::methods {

class RehearsalBuffer {
 public:
  // Prototype, and whether the sample is only counted there.
  using Filed = std::pair<PrototypeId, bool>;
  struct Entry {
    PrototypeId prototype = kNoId;
    bool counted = false;  // it is part of no sum
    // The best reference. It changes only if references are added or removed, so it is searched
    // once.
    PrototypeId known = kNoId;
    double known_cosine = kNotComputed;
    std::uint64_t version = 0;  // version of the references at that time; 0: not searched
  };

  // Keeps `buffer` samples, and has room for those of the current block. Keeps none if nothing is
  // rehearsed.
  RehearsalBuffer(std::size_t buffer, std::size_t block, std::size_t dimension)
      : buffer_(buffer), entries_(buffer + block), embeddings_(buffer + block, dimension) {}

  // Place of a sample among the rows of embeddings().
  std::size_t place(std::uint64_t sequence) const { return sequence % entries_.size(); }
  Entry& entry(std::uint64_t sequence) { return entries_[place(sequence)]; }
  const Entry& entry(std::uint64_t sequence) const { return entries_[place(sequence)]; }
  const float* embedding(std::uint64_t sequence) const {
    return embeddings_[place(sequence)].data();
  }
  Rows<const float> embeddings() const { return embeddings_; }

  void put(std::uint64_t sequence, std::span<const float> unit) {
    std::copy(unit.begin(), unit.end(), embeddings_[place(sequence)].begin());
    entry(sequence) = {};
  }
  // Returns the stored sample to rehearse next with sample `sequence`, which is not the first one.
  // The buffer is read cyclically.
  std::uint64_t next(std::uint64_t sequence) {
    const std::uint64_t low = sequence > buffer_ ? sequence - buffer_ : 0;
    if (cursor_ < low || cursor_ >= sequence) cursor_ = low;
    return cursor_++;
  }

  // Records that the user moved a sample. `there`: the new prototype is not empty. A move back to
  // the place before the last move cancels that move.
  void note_move(std::uint64_t sequence, Filed from, Filed to, bool there, std::uint64_t samples);
  bool was_moved(std::uint64_t sequence) const;
  // The prototype of a sample, if it is stored.
  std::optional<Filed> filed(std::uint64_t sequence, std::uint64_t samples) const;

  // Saves to the state of a method that has decided `samples` samples.
  void save(Section& own, std::uint64_t samples) const;
  Result<void> restore(const Section& own, std::uint64_t samples, PrototypeId next_prototype,
                       const std::string& name);

 private:
  // The present place, and the earlier places in the order of the moves.
  struct Moved {
    std::uint64_t sequence = 0;
    Filed place;
    std::vector<Filed> trail;
  };
  std::vector<Moved>::const_iterator moved_at(std::uint64_t sequence) const;
  std::size_t kept(std::uint64_t samples) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(samples, buffer_));
  }

  std::size_t buffer_;
  std::uint64_t cursor_ = 0;  // sequence number of the sample to rehearse next
  std::vector<Entry> entries_;
  math::Matrix<float> embeddings_;
  std::vector<Moved> moved_;  // in ascending order of sequence
};

}  // namespace paco::methods
