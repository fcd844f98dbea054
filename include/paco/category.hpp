// Categories as users see them: which prototypes a category owns, its name, and the category that
// it was merged into. Also the memory of a method at one moment, which readers can keep for any
// length of time.
//
// A category is separate from the prototypes that it owns: names, merges and separations change the
// answers, not what a sample is compared with. Copies of Categories are cheap, whatever their
// number (they share what has not changed), and a const Categories is immutable.
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
  std::string name;            // empty: the category has its default name
  CategoryId forward = kNoId;  // where it was merged into
  bool retired = false;
  bool exists = true;          // false: made by an operation that was undone before it answered
  std::uint64_t answered = 0;  // samples that were answered with it
  std::uint64_t birth = 0;     // sequence number of the sample that created it
  std::vector<PrototypeId> prototypes;  // that it owns, ascending
};

// The description of one prototype that a method gives.
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
  // The number of ids given so far, including those of support classes.
  CategoryId next() const { return static_cast<CategoryId>(categories_.size()); }
  const Category& operator[](CategoryId id) const {
    return categories_[static_cast<std::size_t>(id)];
  }
  bool has(CategoryId id) const;
  // True if the category exists and was not merged away. Retired categories count as live.
  bool is_live(CategoryId id) const { return has(id) && (*this)[id].forward == kNoId; }
  // The live category that `id` was merged into, or `id` itself; `id` must exist.
  CategoryId now(CategoryId id) const;
  std::string name(CategoryId id) const;
  // The default name of a category: the name of its class, or "category 7". If a class already has
  // that name, "category 7 (2)". No two ids have the same default name.
  std::string own_name(CategoryId id) const;
  // The live category with this name, or kNoId.
  CategoryId find(std::string_view name) const;

  // A new category; open() makes one that owns `prototype`.
  CategoryId add(Category category);
  CategoryId open(PrototypeId prototype, std::uint64_t birth);
  Category& edit(CategoryId id) { return categories_.edit(static_cast<std::size_t>(id)); }
  // For restoring a state: every id below `next` is marked as not existing until it is set again.
  void clear_to(CategoryId next);
  // A copy for readers. Later changes to this object are not visible in earlier copies.
  Categories share() const;

 private:
  std::shared_ptr<const std::vector<std::string>> class_names_;
  // The class names that start like the default names of discovered categories. Null: there are
  // none.
  std::shared_ptr<const std::vector<std::string>> alike_;
  mutable PersistentArray<Category> categories_;
};

// Samples that a person confirmed to be in the right place, each with the prototype it was in.
// Moving a sample removes its mark.
class VerifiedSamples {
 public:
  // kNoId: the sample is not confirmed.
  PrototypeId prototype_of(std::uint64_t sequence) const;
  std::uint64_t count(std::span<const PrototypeId> prototypes) const;
  void set(std::uint64_t sequence, PrototypeId prototype);  // kNoId takes the mark away
  const std::map<std::uint64_t, PrototypeId>& all() const { return samples_; }
  bool operator==(const VerifiedSamples&) const = default;

 private:
  std::map<std::uint64_t, PrototypeId> samples_;
  std::map<PrototypeId, std::uint64_t> counts_;
};

// One category with the sums over its prototypes.
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
