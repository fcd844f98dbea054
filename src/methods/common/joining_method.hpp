// A fast method in which every sample joins one prototype, or starts one, and nothing else moves:
// PACO and the baselines. A method adds one function, choose().
//
// The references never move, so what they say of a sample can be had for the whole block before any
// of it is decided. Many samples need nothing else; only the others are multiplied with the
// adapting prototypes and with each other.
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
  virtual void choose(const Sample& sample, Decision& decision) = 0;
  // The same for a sample that the false-new gate answers: what the method's evidence says of it.
  virtual void note_gated(const Sample& sample, Decision& decision) {
    static_cast<void>(sample), static_cast<void>(decision);
  }
  // After every decision: the sample has joined its prototype. `size` and `length` are those of the
  // sum before, 0 for a new prototype.
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
  math::SampleBlock open_;            // those of it that need the adapting prototypes, in order ...
  std::vector<std::size_t> indices_;  // ... and which they are
  struct Look {
    BestTwo nearest;
    std::size_t row = 0;  // among the samples that need the adapting prototypes
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
