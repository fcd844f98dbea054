// Base class of the peers. MethodBase manages the table of prototypes, and embeddings become points
// on the sphere. A peer adds what it computes from a block (look) and how it decides on one row of
// it (choose). Prototypes of a peer have no sums of embeddings, so operations that move samples or
// fix directions are not supported.
#pragma once

#include "core/threads.hpp"
#include "math/matrix.hpp"
#include "methods/common/best_two.hpp"
#include "methods/common/method_base.hpp"
#include "methods/peers/seen.hpp"

namespace paco::methods {

class PeerMethod : public MethodBase {
 public:
  PeerMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
             const MethodOptions& options);

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) final;
  const PrototypeDirections* directions() const final { return nullptr; }

 protected:
  // Computes what is needed for the whole block before any of it is decided. Rows are embeddings in
  // the form that this peer uses (seen.hpp), by default on the sphere. They stay valid until the
  // next block.
  virtual void look(Rows<const float> rows) = 0;
  // Fills in prototype (kNoId: a new one), runner_up (a prototype or kNoId), score, threshold
  // and evidence of row `i`; must not change the memory.
  virtual void choose(std::size_t i, Decision& decision) = 0;
  // Called when row `i` has joined its prototype. The prototype is new if the verdict is `created`.
  virtual void joined(std::size_t i, Decision& decision) = 0;
  // Called when the set of competing prototypes has changed.
  virtual void memory_changed() {}

  core::ThreadPool& pool() { return pool_; }
  // Prototypes in order, those of the known classes first; all of them, competing or not.
  PrototypeId all() const { return static_cast<PrototypeId>(table().size()); }
  PrototypeId known() const { return static_cast<PrototypeId>(model().known_classes()); }

 private:
  BestTwo nearest_known(std::span<const float> unit) const;
  double resultant(PrototypeId) const final { return kNotComputed; }
  std::vector<double> sum(PrototypeId) const final { return {}; }
  void edited(std::vector<NewSum>) final { memory_changed(); }

  core::ThreadPool pool_;
  Seen seen_;
  math::Matrix<float> units_, seen_rows_;
};

}  // namespace paco::methods
