// The common ground of every fast method that keeps prototypes: standardising, matrix products for
// whole blocks, the memory and its updates, statistics and snapshots. A method adds one function,
// judge().
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
#include "discover/memory.hpp"
#include "linalg/matrix.hpp"
#include "linalg/settle.hpp"
#include "paco/method.hpp"
#include "sphere/block_products.hpp"

namespace paco {

// The best and second best of the exactly scored candidates; the lowest id wins a tie.
struct BestTwo {
  CategoryId first = -1, second = -1;
  double score = kNotComputed, second_score = kNotComputed;

  void offer(CategoryId k, double s);
};

class PrototypeMethod : public Method {
 public:
  PrototypeMethod(std::shared_ptr<const Model> model, const MethodOptions& options);

  const Model& model() const final { return *model_; }
  Result<Decision> decide(std::span<const double> embedding) final;
  Result<void> decide_block(Rows<const double> embeddings, std::span<Decision> decisions) final;
  MethodStats stats() const final;
  std::shared_ptr<const MemoryView> published() const final;
  Result<std::vector<std::byte>> save() const final;
  Result<void> restore(const std::string& path) final;

  // What products are screened in now: bytes may give way to float32, see reconsider_format().
  ScreenFormat screen_format() const { return references_.format(); }

 protected:
  // One sample with its screened products. Exact cosines are computed once and remembered.
  struct Sample {
    const float* unit = nullptr;
    ScreenedRow classes;     // (K)
    ScreenedRow categories;  // without products where they are not needed
    BestTwo nearest;         // of the known classes, exact
  };

  // Can a sample with these nearest known classes depend on the categories? It must not depend on
  // what was decided before, because it is asked for a whole block at once: the products of the
  // others are never made.
  virtual bool needs_categories(const BestTwo& nearest) const = 0;

  // Fills in category, verdict, branch, route and evidence; must not change the memory.
  virtual void judge(const Sample& sample, Decision& decision) = 0;

  const Memory& memory() const { return memory_; }
  // Exact cosine with prototype k, known classes first.
  double cosine(const Sample& sample, std::size_t k);
  // Screened cosines with error bounds.
  ScreenedScores screened_classes(const Sample& sample) const;
  ScreenedScores screened_categories(const Sample& sample) const;
  // Exact scores of all that may be among the `places` best, offered to `best`. `first_id` is the
  // id of index 0; an exact score is what was screened plus `shift`, the same for all.
  template <class Exact>
  void offer_best(const ScreenedScores& scores, int places, std::size_t first_id, double shift,
                  Exact exact, BestTwo& best) {
    if (scores.count == 0) return;
    screen_best(scores, places, candidates_);
    const auto bar = [&] {
      const CategoryId last = places == 1 ? best.first : best.second;
      if (last < 0) return -std::numeric_limits<double>::infinity();
      return (places == 1 ? best.score : best.second_score) - shift;
    };
    settle_best(candidates_, bar, [&](std::size_t i) {
      best.offer(static_cast<CategoryId>(first_id + i), exact(first_id + i));
    });
  }
  // Writes the chosen prototype and its runner-up.
  void assign(const BestTwo& best, Branch branch, Decision& decision) const;
  void create(double score, double threshold, const BestTwo& closest, Decision& decision) const;

 private:
  void decide_units(Rows<const float> units, std::span<Decision> decisions);
  ScreenedRow class_row(std::size_t i) const;
  void look_at_classes(Rows<const float> units);
  bool needed_double(const Decision& decision) const;
  Rows<const float> reference_rows() const;
  void reconsider_format();
  void update(const Sample& sample, Decision& decision, std::size_t row);

  std::shared_ptr<const Model> model_;
  ThreadPool pool_;
  Memory memory_;
  MethodStats stats_;
  ScreenBank references_;
  // Since the format was last reconsidered.
  struct Watched {
    std::size_t samples = 0;
    std::size_t products = 0;
    std::size_t scored = 0;  // cosines in double
  } watched_;

  // Scratch, kept between calls.
  BlockProducts products_;
  std::vector<float> class_products_;
  std::vector<float> units_;
  SampleBlock samples_;               // the block being decided
  SampleBlock unsettled_;             // those of it that need categories, in order ...
  std::vector<std::size_t> indices_;  // ... and which they are
  struct Look {
    BestTwo nearest;
    std::size_t row = 0;  // among the samples that need categories
    bool needs_categories = false;
  };
  std::vector<Look> looks_;  // one per sample of the block
  std::vector<Candidate> candidates_;
  struct KnownCosine {
    std::size_t prototype;
    double cosine;
  };
  std::vector<KnownCosine> cosines_;
};

}  // namespace paco
