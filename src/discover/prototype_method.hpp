// The common ground of every fast method that keeps prototypes: standardising, matrix products for
// whole blocks, the memory and its updates. A method adds one function, judge().
//
// How exactness and speed go together: approximate products with an error bound
// (linalg/screen_bank.hpp) narrow the prototypes down to those that can win a comparison, nearly
// always the winner and the runner-up alone. Those are then scored in double in the order of
// summation that plain.hpp fixes, and only doubles are compared. So a decision depends on the
// stored state and the sample alone; blocks, threads and instruction sets change when the products
// are made, never the outcome.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "base/threads.hpp"
#include "discover/best_two.hpp"
#include "discover/memory.hpp"
#include "discover/method_base.hpp"
#include "linalg/matrix.hpp"
#include "linalg/settle.hpp"
#include "sphere/block_products.hpp"

namespace paco {

class PrototypeMethod : public MethodBase {
 public:
  PrototypeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                  const MethodOptions& options);

  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) final;

  // What products are screened in now: bytes may give way to float32, see reconsider_format().
  ScreenFormat screen_format() const { return memory_.format(); }

 protected:
  // One sample with its screened products. Exact cosines are computed once and remembered.
  struct Sample {
    const float* unit = nullptr;
    ScreenedRow references;
    ScreenedRow adapting;  // without products where they are not needed
    // Exact: the closest reference, and the closest of another category.
    BestTwo nearest;
  };

  // Can a sample with these nearest references depend on the other prototypes? It must not depend
  // on what was decided before, because it is asked for a whole block at once: the products of the
  // others are never made.
  virtual bool needs_adapting(const BestTwo& nearest) const = 0;

  // Fills in prototype (kNobody: a new one), runner_up (a prototype or kNobody), score, threshold
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
  ScreenedScores screened_references(const Sample& sample) const;
  ScreenedScores screened_adapting(const Sample& sample) const;
  // Exact scores of all that may be among the `places` best, offered to `best`. `ids` has the
  // prototype numbers of the places screened; an exact score is what was screened plus `shift`, the
  // same for all.
  template <class Exact>
  void offer_best(const ScreenedScores& scores, int places, const PrototypeId* ids, double shift,
                  Exact exact, BestTwo& best) {
    if (scores.count == 0) return;
    screen_best(scores, places, candidates_);
    const auto bar = [&] {
      const PrototypeId last = places == 1 ? best.first : best.second;
      if (last == kNobody) return -std::numeric_limits<double>::infinity();
      return (places == 1 ? best.score : best.second_score) - shift;
    };
    settle_best(candidates_, bar, [&](std::size_t i) { best.offer(ids[i], exact(ids[i])); });
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
  ScreenedRow reference_products(std::size_t i) const;

  ThreadPool pool_;
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
  SampleBlock samples_;               // the block being decided
  SampleBlock unsettled_;             // those of it that need the adapting prototypes, in order ...
  std::vector<std::size_t> indices_;  // ... and which they are
  struct Look {
    BestTwo nearest;
    std::size_t row = 0;  // among the samples that need the adapting prototypes
    bool needs_adapting = false;
  };
  std::vector<Look> looks_;  // one per sample of the block
  std::vector<Candidate> candidates_;
  struct KnownCosine {
    PrototypeId prototype;
    double cosine;
  };
  std::vector<KnownCosine> cosines_;
};

}  // namespace paco
