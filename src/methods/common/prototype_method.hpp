// Base class of every fast method that keeps prototypes: the space of the samples, matrix products
// for whole blocks, the memory and its updates.
//
// Exactness and speed: approximate products with an error bound (math/prefilter.hpp) reduce the
// prototypes to those that can win a comparison, usually only the winner and the runner-up. Those
// are then scored in double, in the summation order that math/plain.hpp defines, and only doubles
// are compared. So a decision depends only on the stored state and the sample. Blocks, threads and
// instruction sets change when products are computed, but never the decision.
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
  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) final;

  // The current format of screening products. It can change from bytes to float32, see
  // reconsider_format().
  math::PrefilterFormat prefilter_format() const { return memory_.format(); }

 protected:
  // In the model's own space.
  PrototypeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                  const MethodOptions& options);
  // In another space. `roundings` and `attach` are those of PrototypeSet.
  PrototypeMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                  const MethodOptions& options, std::shared_ptr<const StandardTransform> space,
                  Rows<const float> references, std::size_t roundings, PrototypeSet::Attach attach);

  // Number of samples that are decided with one table of products.
  virtual std::size_t block_rows() const = 0;
  // Decides at most block_rows() samples. `units` stay alive until it returns.
  virtual void decide_units(Rows<const float> units, std::span<Decision> decisions) = 0;
  // After operations and after a restore.
  virtual void memory_changed() {}

  core::ThreadPool& pool() { return pool_; }
  const PrototypeStore& memory() const { return memory_; }
  PrototypeStore& memory() { return memory_; }

  // Computes the products of a block with all references, in the format of the bank.
  void multiply_references(math::SampleBlock& samples);
  math::PrefilterRow reference_products(std::size_t i, float error) const {
    return {reference_products_.data() + i * memory_.references(), error};
  }
  // Exact cosine of a unit vector with a competing prototype, by its place in the banks.
  double reference_cosine(std::size_t place, const float* unit) {
    ++watched_.scored;
    return math::dot(memory_.reference_row(place), unit, model().dimension);
  }
  double adapting_cosine(std::size_t place, const float* unit) {
    ++watched_.scored;
    return memory_.adapting().cosine(place, unit);
  }
  // Counts products other than those with references, for reconsider_format().
  void watch(std::size_t samples, std::size_t products) {
    watched_.samples += samples;
    watched_.products += products;
  }

  // Computes the exact scores of all prototypes that may be among the `places` best, and offers
  // them to `best`. `ids` maps screened places to prototype numbers. An exact score is the screened
  // score plus `shift`, which is the same for all.
  template <class Exact>
  void offer_best(const math::PrefilterScores& scores, int places, const PrototypeId* ids,
                  double shift, Exact exact, BestTwo& best) {
    if (scores.count == 0) return;
    prefilter_best(scores, places, candidates_);
    math::rerank_best(
        candidates_, [&] { return bar_of(best, places) - shift; },
        [&](std::size_t i) { best.offer(ids[i], exact(ids[i])); });
  }
  // The score that a candidate must reach to be among the `places` best.
  static double bar_of(const BestTwo& best, int places) {
    const PrototypeId last = places == 1 ? best.first : best.second;
    if (last == kNoId) return -std::numeric_limits<double>::infinity();
    return places == 1 ? best.score : best.second_score;
  }

  double resultant(PrototypeId id) const override { return memory_.resultant(id); }
  std::vector<double> sum(PrototypeId id) const override { return memory_.sum(id); }

  // Scratch, kept between calls.
  BlockProducts products_;
  std::vector<math::Candidate> candidates_;

 private:
  void edited(std::vector<NewSum> sums) final;
  void reconsider_format();

  core::ThreadPool pool_;
  PrototypeStore memory_;
  // Since the format was last reconsidered.
  struct Watched {
    std::size_t samples = 0;
    std::size_t products = 0;
    std::size_t scored = 0;  // cosines in double
  } watched_;
  std::vector<float> reference_products_;
  std::vector<float> units_;
};

}  // namespace paco::methods
