// The computations behind insight.hpp: suggestions (diagnostics.cpp) and warnings (warnings.cpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "insight/insight.hpp"
#include "math/matrix.hpp"

namespace paco::insight {

class Diagnostics {
 public:
  // Adds to `out`. Both have to stay while this is used.
  Diagnostics(const StreamFacts& facts, Insight& out) : facts_(facts), out_(out) {}

  void suggest();
  void warn();

 private:
  struct Mean {
    double value = 0, squared_error = 0;
  };

  // Suggestions.
  void merges_and_drifts();
  void splits();
  void split(std::size_t i);
  void close_decisions();
  // Warnings.
  void births();
  void falling_known_classes();

  std::string name(CategoryId id) const { return facts_.view->categories.name(id); }
  // Resultant length of the prototype at an index of Directions.
  double resultant(std::size_t i) const;
  // Is it discovered, with members enough to have a direction and a spread?
  bool is_comparable(std::size_t i) const;
  // Embeddings of samples in the method's space; empty if one of them is not kept.
  math::Matrix<float> units_of(std::span<const std::uint64_t> samples) const;
  std::optional<Mean> mean_evidence(std::span<const std::uint64_t> samples,
                                    std::size_t field) const;

  const StreamFacts& facts_;
  Insight& out_;
};

}  // namespace paco::insight
