// The rule in plain loops over everything, in double: slow, and the judge of the engine. It works
// on a MirrorState and keeps nothing else.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mirror/model.hpp"
#include "mirror/state.hpp"
#include "paco/result.hpp"

namespace paco {

class MirrorPlain {
 public:
  explicit MirrorPlain(std::shared_ptr<const MirrorModel> model);

  // Decides raw embeddings in order; births are added to `births`. Refuses rows without direction.
  Result<void> decide_block(Rows<const double> embeddings, std::span<MirrorDecision> decisions,
                            std::vector<MirrorBirth>& births);

  // May be changed between two samples.
  MirrorState& state() { return state_; }

 private:
  MirrorDecision decide(std::span<const float> v, std::vector<MirrorBirth>& births);
  void rehearse(std::size_t stored, double threshold, std::vector<MirrorBirth>& births);
  void join(MirrorPrototype& prototype, std::span<const float> v, std::vector<MirrorBirth>& births);
  void leave(std::int64_t number, std::span<const float> v);
  void remember(std::span<const float> v, std::int64_t prototype);
  MirrorPrototype* find(std::int64_t number);
  std::int64_t category_of(std::int64_t number);
  std::size_t candidates() const;

  std::shared_ptr<const MirrorModel> model_;
  MirrorState state_;
};

}  // namespace paco
