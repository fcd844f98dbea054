// Categories as people see them: who owns which prototype, what it is called, where it went. And
// the memory of a method at one moment, which readers hold as long as they like.
//
// A category is apart from the prototypes it owns: names, merges and separations change what is
// answered, not what is compared. Copies of Categories are cheap, whatever their number (they share
// what has not changed), and immutable where held const.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/decision.hpp"
#include "paco/persistent_array.hpp"

namespace paco {

inline constexpr CategoryId kNoId = -1;

struct Category {
  std::string name;            // empty: the one that it has by itself
  CategoryId forward = kNoId;  // where it was merged into
  bool retired = false;
  bool exists = true;          // false: made by an operation that was undone before it answered
  std::uint64_t answered = 0;  // samples that were answered with it
  std::uint64_t birth = 0;     // sequence number of the sample that created it
  std::vector<PrototypeId> prototypes;  // that it owns, ascending
};

// What a method tells of one prototype.
struct Prototype {
  CategoryId owner = kNoId;  // kNoId: a candidate without a category yet
  bool reference = false;    // a fixed direction of a known class
  bool competing = true;
  std::int64_t members = 0;  // samples in its sum; of a support class, its support samples
  std::int64_t counted = 0;  // samples that joined while it was fixed
  double resultant_length = kNotComputed;  // |R| / n: 1 when all members point the same way
  std::uint64_t birth = 0;                 // sequence number of its first sample

  std::int64_t size() const { return members + counted; }
};

class Categories {
 public:
  explicit Categories(std::vector<std::string> class_names = {});

  std::size_t known_classes() const { return class_names_->size(); }
  // Ids that were ever given, those of support classes included.
  CategoryId next() const { return static_cast<CategoryId>(categories_.size()); }
  const Category& operator[](CategoryId id) const {
    return categories_[static_cast<std::size_t>(id)];
  }
  bool has(CategoryId id) const;
  // In force: it exists and was not merged away. Retired ones are still there.
  bool is_live(CategoryId id) const { return has(id) && (*this)[id].forward == kNoId; }
  // Follows merges; `id` must be there.
  CategoryId now(CategoryId id) const;
  std::string name(CategoryId id) const;
  // The name that a category has until somebody names it: that of its class, or "category 7". If
  // a class is called so, "category 7 (2)": no two ids ever have the same one.
  std::string own_name(CategoryId id) const;
  // The live category of this name, or kNoId.
  CategoryId find(std::string_view name) const;

  // A new category; open() makes one that owns `prototype`.
  CategoryId add(Category category);
  CategoryId open(PrototypeId prototype, std::uint64_t birth);
  Category& edit(CategoryId id) { return categories_.edit(static_cast<std::size_t>(id)); }
  // For a state that is being restored: ids up to `next` exist no longer unless they are put.
  void clear_to(CategoryId next);
  // What follows may be seen by holders of earlier copies no more.
  Categories share() const;

 private:
  std::shared_ptr<const std::vector<std::string>> class_names_;
  // Those that begin as the names of discovered categories do. Null: none does.
  std::shared_ptr<const std::vector<std::string>> alike_;
  mutable PersistentArray<Category> categories_;
};

// Samples of which a person confirmed that they belong where they are, with the prototype they were
// in. Moving a sample takes its mark away.
class VerifiedSamples {
 public:
  // kNoId: nobody confirmed it.
  PrototypeId prototype_of(std::uint64_t sequence) const;
  std::uint64_t count(std::span<const PrototypeId> prototypes) const;
  void set(std::uint64_t sequence, PrototypeId prototype);  // kNoId takes the mark away
  const std::map<std::uint64_t, PrototypeId>& all() const { return samples_; }
  bool operator==(const VerifiedSamples&) const = default;

 private:
  std::map<std::uint64_t, PrototypeId> samples_;
  std::map<PrototypeId, std::uint64_t> counts_;
};

// One category with what its prototypes add up to.
struct CategoryInfo {
  CategoryId id = 0;
  std::string name;
  bool known = false;  // it owns a fixed reference
  bool retired = false;
  std::int64_t size = 0;       // samples of its prototypes
  std::uint64_t answered = 0;  // samples that were answered with it
  std::uint64_t verified = 0;  // members that a person confirmed
  std::uint64_t birth = 0;
  double resultant_length = kNotComputed;  // of its largest prototype
  std::vector<PrototypeId> prototypes;
};

// The memory at one moment. Immutable.
struct MemoryView {
  std::uint64_t samples = 0;  // decided so far
  Categories categories;
  PersistentArray<Prototype> prototypes;
  std::size_t known = 0;                            // live categories that own a reference
  std::size_t discovered = 0;                       // the other live ones
  std::shared_ptr<const VerifiedSamples> verified;  // null: none

  CategoryInfo info(CategoryId id) const;
  bool is_verified(std::uint64_t sequence) const {
    return verified != nullptr && verified->prototype_of(sequence) != kNoId;
  }
};

}  // namespace paco
