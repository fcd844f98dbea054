// The common ground of every fast method that keeps prototypes: standardising, matrix products for
// whole blocks, the memory and its updates. A method adds one function, judge().
//
// How exactness and speed go together: approximate products with an error bound
// (linalg/prefilter.hpp) narrow the prototypes down to those that can win a comparison, nearly
// always the winner and the runner-up alone. Those are then scored in double in the order of
// summation that plain.hpp fixes, and only doubles are compared. So a decision depends on the
// stored state and the sample alone; blocks, threads and instruction sets change when the products
// are made, never the outcome.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "core/threads.hpp"
#include "math/matrix.hpp"
#include "math/rerank.hpp"
#include "methods/common/best_two.hpp"
#include "methods/common/block_products.hpp"
#include "methods/common/method_base.hpp"
#include "methods/common/prototype_store.hpp"

namespace paco::methods {

class PrototypeMethod : public MethodBase {
 public:
  PrototypeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                  const MethodOptions& options);

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) final;

  // What products are screened in now: bytes may give way to float32, see reconsider_format().
  math::PrefilterFormat prefilter_format() const { return memory_.format(); }

 protected:
  // One sample with its screened products. Exact cosines are computed once and remembered.
  struct Sample {
    const float* unit = nullptr;
    math::PrefilterRow references;
    math::PrefilterRow adapting;  // without products where they are not needed
    // Exact: the closest reference, and the closest of another category.
    BestTwo nearest;
  };

  // Can a sample with these nearest references depend on the other prototypes? It must not depend
  // on what was decided before, because it is asked for a whole block at once: the products of the
  // others are never made.
  virtual bool needs_adapting(const BestTwo& nearest) const = 0;

  // Fills in prototype (kNoId: a new one), runner_up (a prototype or kNoId), score, threshold
  // and evidence; must not change the memory.
  virtual void judge(const Sample& sample, Decision& decision) = 0;
  // After every decision: the sample has joined its prototype. `size` and `length` are those of the
  // sum before, 0 for a new prototype.
  virtual void joined(Decision& decision, std::int64_t size, double length) {
    static_cast<void>(decision), static_cast<void>(size), static_cast<void>(length);
  }
  // After operations and after a restore.
  virtual void memory_changed() {}

  const Memory& memory() const { return memory_; }
  // Exact cosine with a competing prototype.
  double cosine(const Sample& sample, PrototypeId id);
  // Screened cosines with error bounds.
  math::PrefilterScores screened_references(const Sample& sample) const;
  math::PrefilterScores screened_adapting(const Sample& sample) const;
  // Exact scores of all that may be among the `places` best, offered to `best`. `ids` has the
  // prototype numbers of the places screened; an exact score is what was screened plus `shift`, the
  // same for all.
  template <class Exact>
  void offer_best(const math::PrefilterScores& scores, int places, const PrototypeId* ids,
                  double shift, Exact exact, BestTwo& best) {
    if (scores.count == 0) return;
    math::prefilter_best(scores, places, candidates_);
    const auto bar = [&] {
      const PrototypeId last = places == 1 ? best.first : best.second;
      if (last == kNoId) return -std::numeric_limits<double>::infinity();
      return (places == 1 ? best.score : best.second_score) - shift;
    };
    math::rerank_best(candidates_, bar, [&](std::size_t i) { best.offer(ids[i], exact(ids[i])); });
  }

  double resultant(PrototypeId id) const override { return memory_.resultant(id); }
  std::vector<double> sum(PrototypeId id) const override;
  void save_own(Section& own) const override;
  Result<void> restore_own(const Section& own, const std::string& name) override;

 private:
  void edited(std::vector<NewSum> sums) final;
  void decide_units(Rows<const float> units, std::span<Decision> decisions);
  void look_at_references(Rows<const float> units);
  BestTwo nearest_references(const Sample& sample);
  void reconsider_format();
  void update(const Sample& sample, Decision& decision, std::size_t row);
  math::PrefilterRow reference_products(std::size_t i) const;

  core::ThreadPool pool_;
  Memory memory_;
  // Since the format was last reconsidered.
  struct Watched {
    std::size_t samples = 0;
    std::size_t products = 0;
    std::size_t scored = 0;  // cosines in double
  } watched_;

  // Scratch, kept between calls.
  BlockProducts products_;
  std::vector<float> reference_products_;
  std::vector<float> units_;
  std::vector<float> masked_;
  math::SampleBlock samples_;         // the block being decided
  math::SampleBlock unsettled_;       // those of it that need the adapting prototypes, in order ...
  std::vector<std::size_t> indices_;  // ... and which they are
  struct Look {
    BestTwo nearest;
    std::size_t row = 0;  // among the samples that need the adapting prototypes
    bool needs_adapting = false;
  };
  std::vector<Look> looks_;  // one per sample of the block
  std::vector<math::Candidate> candidates_;
  struct KnownCosine {
    PrototypeId prototype;
    double cosine;
  };
  std::vector<KnownCosine> cosines_;
};

}  // namespace paco::methods
