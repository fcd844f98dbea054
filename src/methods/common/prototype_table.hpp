// Everything that a method stores about each prototype except its direction: its category, its
// number of samples, whether it is a fixed reference, and whether it competes.
//
// Prototypes are numbered in order of creation; the support classes come first. The method stores
// directions and sums itself. Not thread-safe.
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
  bool support = false;      // a reference of the model
  bool promoted = false;     // became a reference by promotion
  bool exists = true;        // false: made by an operation that was undone
  bool retired = false;      // its category is retired

  bool reference() const { return support || promoted; }
  // Retired prototypes and those without members do not compete.
  bool competing() const { return exists && !retired && (reference() || members > 0); }
  std::int64_t size() const { return members + counted; }
  // True for a candidate that lost its sample or was dropped; only its number remains.
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

  // Number of competing prototypes and of the samples they hold, for shares.
  std::int64_t competing() const { return competing_; }
  std::int64_t samples() const { return samples_; }

  // One sample joined a competing prototype.
  void joined(PrototypeId id, bool counted);
  // One sample left a prototype.
  void left(PrototypeId id, bool counted);
  // Call this after other edits than the above.
  void recount();

  // Prototypes that were edited since the last call, each once.
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
