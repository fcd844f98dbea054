// What a method knows of every prototype besides where it points: whom it belongs to, how many
// samples it holds, whether it is a fixed reference, whether it takes part.
//
// Numbered in order of creation; the support classes come first. Directions and sums are the
// engine's, which looks here for all the rest. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "paco/category.hpp"
#include "paco/model.hpp"

namespace paco::methods {

struct PrototypeRecord {
  CategoryId owner = kNoId;  // kNoId: a candidate
  std::int64_t members = 0;  // samples in its sum; of a support class, its support samples
  std::int64_t counted = 0;  // samples that joined while it was a fixed reference
  std::uint64_t birth = 0;   // sequence number of its first sample
  bool support = false;      // a reference that the model brought
  bool promoted = false;     // a reference by promotion
  bool exists = true;        // false: made by an operation that was undone
  bool retired = false;      // its category is

  bool reference() const { return support || promoted; }
  // Retired ones and those without members stand aside.
  bool competing() const { return exists && !retired && (reference() || members > 0); }
  std::int64_t size() const { return members + counted; }
  // A candidate that lost its sample or was dropped: nothing is left but its number.
  bool gone() const { return !exists || (owner == kNoId && size() == 0 && !reference()); }
  bool candidate() const { return exists && owner == kNoId && members > 0; }
};

class PrototypeTable {
 public:
  explicit PrototypeTable(const Model& model);
  PrototypeTable() = default;

  std::size_t size() const { return records_.size(); }
  const PrototypeRecord& operator[](PrototypeId id) const {
    return records_[static_cast<std::size_t>(id)];
  }
  PrototypeRecord& edit(PrototypeId id);
  PrototypeId add(PrototypeRecord record);

  // Competing prototypes and the samples they hold, for shares.
  std::int64_t competing() const { return competing_; }
  std::int64_t samples() const { return samples_; }

  // One sample joined a competing prototype.
  void joined(PrototypeId id, bool counted);
  // One sample left a prototype.
  void left(PrototypeId id, bool counted);
  // After edits other than the above.
  void recount();

  // Those edited since the last call, each once.
  std::vector<PrototypeId> take_changed();

 private:
  void mark(PrototypeId id);

  std::vector<PrototypeRecord> records_;
  std::vector<PrototypeId> changed_;
  std::vector<std::uint8_t> is_changed_;
  std::int64_t competing_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace paco::methods
