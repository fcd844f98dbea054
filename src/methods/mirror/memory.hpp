// The prototypes of the engine that are not references: their sums in double, which are the truth,
// and beside them copies and bounds for screening (linalg/prefilter.hpp).
//
// A prototype lives in a slot; slots of those that are gone are used again, so the arrays are no
// larger than the most prototypes that ever lived at once. Members join and leave; copies are
// renewed when a block begins. Fixed prototypes keep their slot and compete elsewhere. Not
// thread-safe.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/growing_array.hpp"
#include "math/prefilter.hpp"
#include "methods/mirror/changed.hpp"
#include "methods/mirror/state.hpp"

namespace paco::methods {

class MirrorMemory {
 public:
  // `roundings`: how many float32 additions a screened product may have behind it. What changes is
  // noted in `changed_numbers`, which has to stay.
  MirrorMemory(std::size_t dimension, std::size_t roundings, ChangedNumbers& changed_numbers);

  std::size_t slots() const { return numbers_.size(); }
  std::size_t candidates() const { return candidates_; }
  // The slot of a prototype, unless it is gone.
  std::optional<std::size_t> slot_of(std::int64_t number) const;
  bool lives(std::size_t slot) const {
    return sizes_[slot] > 0 || counted_[slot] > 0 || fixed_[slot] != 0;
  }

  std::int64_t number(std::size_t slot) const { return numbers_[slot]; }
  std::int64_t category(std::size_t slot) const { return categories_[slot]; }
  std::int64_t members(std::size_t slot) const { return sizes_[slot]; }
  std::int64_t counted(std::size_t slot) const { return counted_[slot]; }
  bool competing(std::size_t slot) const { return competing_[slot] != 0; }
  bool fixed(std::size_t slot) const { return fixed_[slot] != 0; }
  // Of a fixed one.
  const std::vector<float>& row(std::size_t slot) const { return rows_.at(numbers_[slot]); }
  // In ascending order of number.
  std::vector<std::size_t> fixed_slots() const;
  double length(std::size_t slot) const { return std::sqrt(squares_[slot]); }

  // A prototype of one sample. `sample_error`: what rounding took from it in the products that go
  // on being used.
  std::size_t create(std::int64_t number, std::int64_t category, const float* v,
                     float sample_error);
  void join(std::size_t slot, const float* v, float sample_error);
  // True where nothing is left: the prototype is gone.
  bool leave(std::size_t slot, const float* v, float sample_error);
  void set_category(std::size_t slot, std::int64_t category);
  void set_competing(std::size_t slot, bool competing);
  // So many samples more that have no share in the sum; it may be gone by that.
  void count(std::size_t slot, std::int64_t more);
  // It has this row from now on and stands aside here; it adapts again, or is gone.
  void fix(std::size_t slot, std::span<const float> row);
  void loosen(std::size_t slot);
  // Drops the oldest candidate.
  void drop_oldest_candidate();

  MirrorPrototype prototype(std::size_t slot) const;
  // Puts a prototype as it was stored in a slot of its own, or in the one it has.
  void restore(const MirrorPrototype& prototype);
  // In ascending order of number.
  std::vector<MirrorPrototype> prototypes() const;

  // Exact, in double.
  double cosine(std::size_t slot, const float* v) const;
  double cosine_without(std::size_t slot, const float* v) const;

  // Screening. Who may compete: those with a category, those without, or all.
  enum class Group : std::uint8_t { visible, hidden, all };
  const math::Prefilter& copies() const { return copies_; }
  void update_copies();
  void change_format(math::PrefilterFormat format);
  math::PrefilterScores screened(const math::PrefilterRow& row, Group group) const;
  // While it lives, the slot does not compete among `all`.
  class WithoutSlot {
   public:
    WithoutSlot(MirrorMemory& memory, std::optional<std::size_t> slot)
        : memory_(memory), slot_(slot) {
      if (slot_) memory_.all_.data()[*slot_] = kOut;
    }
    ~WithoutSlot() {
      if (slot_) memory_.set_groups(*slot_);
    }
    WithoutSlot(const WithoutSlot&) = delete;
    WithoutSlot& operator=(const WithoutSlot&) = delete;

   private:
    MirrorMemory& memory_;
    std::optional<std::size_t> slot_;
  };
  // Does the slot compete in the group? Screening lets others through where nobody does.
  bool in_group(std::size_t slot, Group group) const;

 private:
  static constexpr float kOut = -8;  // farther below 0 than any cosine and its error together

  void remove(std::size_t slot);
  std::size_t take_slot();
  void changed(std::size_t slot, double squared, float sample_error);
  void bound_error(std::size_t slot);
  void note(std::size_t slot) { changed_numbers_->note(numbers_[slot]); }
  void set_groups(std::size_t slot);
  void forget_those_gone();

  std::size_t dimension_;
  std::size_t roundings_;
  ChangedNumbers* changed_numbers_;
  math::Prefilter copies_;
  double rounding_error_;
  core::GrowingArray<double> sums_;
  std::vector<std::int64_t> numbers_, categories_, sizes_, counted_;
  std::vector<std::uint8_t> competing_, fixed_;
  std::unordered_map<std::int64_t, std::vector<float>> rows_;  // of fixed ones, by number
  std::vector<double> squares_;                                // squared length of the sum
  std::vector<std::uint8_t> stale_;   // the sum has moved away from its copy ...
  std::vector<std::size_t> to_copy_;  // ... in these slots; new ones in ascending order
  std::vector<float> lost_;    // what rounding took from the copy and from those who moved it
  std::vector<float> reach_;   // bound on the length of all that was added up since
  std::vector<float> scales_;  // 1 / length
  std::vector<float> errors_;  // of the screened cosine
  std::vector<float> visible_, hidden_, all_;  // 0, or kOut for those not in the group
  std::vector<std::size_t> free_;
  std::unordered_map<std::int64_t, std::size_t> slot_of_;
  std::size_t candidates_ = 0;
  std::deque<std::int64_t>
      waiting_;                 // candidates by number; some have become categories or are gone
  std::vector<float> negated_;  // scratch
};

}  // namespace paco::methods
