// What decides by the rule of `mirror`, and what operations may change in it. Implemented twice: in
// plain loops (plain.hpp) and fast (engine.hpp), with the same answers to the last bit.
//
// Operations come between two blocks. What they mean: a prototype that does not compete answers
// nothing, takes no sample and keeps its members. A fixed one compares by its row; samples that
// join it are counted only, and its members leave by a person's hand alone. One that has nothing
// left is gone; its number may be given back to it, by a move that is taken back.
//
// Not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "math/matrix.hpp"
#include "methods/mirror/model.hpp"
#include "methods/mirror/state.hpp"
#include "paco/result.hpp"

namespace paco::methods {

class MirrorDecider {
 public:
  virtual ~MirrorDecider() = default;

  // Decides raw embeddings in order; births are added to `births`. Where a row is refused nothing
  // of the block is decided.
  virtual Result<void> decide_block(Rows<const double> embeddings,
                                    std::span<MirrorDecision> decisions,
                                    std::vector<MirrorBirth>& births) = 0;
  // The embeddings v of raw rows as decisions see them, (rows, d).
  virtual Result<math::Matrix<float>> embed(Rows<const double> embeddings) = 0;

  virtual std::uint64_t samples() const = 0;
  virtual std::int64_t next_prototype() const = 0;
  virtual std::size_t candidates() const = 0;

  virtual MirrorState save() const = 0;
  // Goes on from a state of this model. What was known is forgotten.
  virtual Result<void> restore(const MirrorState& state) = 0;

  struct Facts {
    std::int64_t category = kNoCategory;
    std::int64_t members = 0;  // none for a reference of the support set
    std::int64_t counted = 0;
    bool competing = true;
    bool fixed = false;
    double length = 0;  // of its sum
  };
  // Of any prototype; nothing where it is gone.
  virtual std::optional<Facts> facts(std::int64_t prototype) const = 0;
  // All whose facts may be others than at the last call.
  virtual std::vector<std::int64_t> take_changed() = 0;
  // Of one that is there: exact cosine with v (d), where its sum points, its row where it is fixed.
  virtual double cosine(std::int64_t prototype, std::span<const float> v) const = 0;
  virtual std::vector<float> direction(std::int64_t prototype) const = 0;
  virtual std::vector<float> row(std::int64_t prototype) const = 0;
  // Where a sample belongs, if that is kept: of the stored ones and those that were moved.
  virtual std::optional<MirrorPlace> place(std::uint64_t sequence) const = 0;

  virtual Result<void> set_competing(std::int64_t prototype, bool competing) = 0;
  // What a prototype answers with from now on; a candidate becomes visible by it. The category is
  // an id given before, or the next one.
  virtual Result<void> set_category(std::int64_t prototype, std::int64_t category) = 0;
  // What a prototype gets that is to be there again.
  struct Home {
    std::int64_t category = kNoCategory;
    bool competing = true;
  };
  // A sample with embedding v (d) goes from one place to another, and stays there.
  virtual Result<void> move(std::uint64_t sequence, std::span<const float> v,
                            const MirrorPlace& from, const MirrorPlace& to, const Home& home) = 0;
  // Becomes a reference with this row (d), unless it is a candidate; adapts again.
  virtual Result<void> fix(std::int64_t prototype, std::span<const float> row,
                           const Home& home) = 0;
  virtual Result<void> loosen(std::int64_t prototype) = 0;
  // Numbers below these are taken.
  virtual void reserve(std::int64_t next_prototype, std::int64_t next_category) = 0;
};

// The list of moved samples after one more move.
void note_move(std::vector<MirrorMoved>& moved, std::uint64_t sequence, const MirrorPlace& from,
               const MirrorPlace& to);
const MirrorMoved* find_moved(const std::vector<MirrorMoved>& moved, std::uint64_t sequence);

// A move that makes sense, or an error that says what does not.
Result<void> check_move(std::uint64_t sequence, std::size_t values, const MirrorPlace& to,
                        const MirrorModel& model, std::uint64_t samples,
                        std::int64_t next_prototype);
Error no_such_prototype(std::int64_t prototype);
Error still_a_candidate(std::int64_t prototype);
Result<void> check_category(std::int64_t category, std::int64_t next_category);

}  // namespace paco::methods
