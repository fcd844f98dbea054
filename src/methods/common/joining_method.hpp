// Base class of the fast methods in which every sample joins one prototype or starts one, and no
// other prototype changes: PACO and the baselines. A method adds one function, choose().
//
// The references never change. So the comparisons with them can be computed for the whole block
// before any sample of it is decided. Many samples need nothing else. Only the remaining samples
// are multiplied with the adapting prototypes and with each other.
#pragma once

#include <memory>
#include <vector>

#include "methods/common/prototype_method.hpp"

namespace paco::methods {

class JoiningMethod : public PrototypeMethod {
 public:
  JoiningMethod(const MethodInfo& info, std::shared_ptr<const Model> model,
                const MethodOptions& options)
      : PrototypeMethod(info, std::move(model), options) {}

 protected:
  // One sample with its screened products. Exact cosines are computed once and then kept.
  struct Sample {
    const float* unit = nullptr;
    math::PrefilterRow references;
    math::PrefilterRow adapting;  // without products if they are not needed
    // Exact cosines: the closest reference, and the closest one of another category.
    BestTwo nearest;
  };

  // Returns true if the decision on a sample with these nearest references can depend on the
  // adapting prototypes. The answer must not depend on earlier decisions, because it is computed
  // for a whole block at once. If it is false, the products with the adapting prototypes are not
  // computed.
  virtual bool needs_adapting(const BestTwo& nearest) const = 0;

  // Sets prototype (kNoId: a new one), runner_up (a prototype or kNoId), score, threshold and
  // evidence. Must not change the memory.
  virtual void choose(const Sample& sample, Decision& decision) = 0;
  // Sets the method's evidence for a sample that the false-new gate answers.
  virtual void note_gated(const Sample& sample, Decision& decision) {
    static_cast<void>(sample), static_cast<void>(decision);
  }
  // Called after every decision, when the sample has joined its prototype. `size` and `length` are
  // those of the prototype's sum before that, 0 for a new prototype.
  virtual void joined(Decision& decision, std::int64_t size, double length) {
    static_cast<void>(decision), static_cast<void>(size), static_cast<void>(length);
  }

  // Exact cosine with a competing prototype.
  double cosine(const Sample& sample, PrototypeId id);
  // Screened cosines with error bounds.
  math::PrefilterScores screened_references(const Sample& sample) const {
    return memory().reference_bank().screened_cosines(sample.references);
  }
  math::PrefilterScores screened_adapting(const Sample& sample) const {
    return memory().adapting().screened_cosines(sample.adapting);
  }

 private:
  std::size_t block_rows() const final {
    return BlockProducts::good_rows(memory().adapting().size());
  }
  void decide_units(Rows<const float> units, std::span<Decision> decisions) final;
  void look_at_references(Rows<const float> units);
  BestTwo nearest_references(const Sample& sample);
  void update(const Sample& sample, Decision& decision, std::size_t row);

  // Scratch, kept between calls.
  std::vector<float> masked_;
  math::SampleBlock samples_;         // the block being decided
  math::SampleBlock open_;            // those that need the adapting prototypes, in order ...
  std::vector<std::size_t> indices_;  // ... and their indices
  struct Look {
    BestTwo nearest;
    std::size_t row = 0;  // index among the samples that need the adapting prototypes
    bool needs_adapting = false;
  };
  std::vector<Look> looks_;  // one per sample of the block
  struct KnownCosine {
    PrototypeId prototype;
    double cosine;
  };
  std::vector<KnownCosine> cosines_;
};

}  // namespace paco::methods
