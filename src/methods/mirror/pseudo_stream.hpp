// A stream of labelled samples that is so short that all products of its samples fit in memory. So
// it can be decided again with other thresholds. The rule is that of mirror without a limit on
// candidates. Sums of embeddings are not computed, only their products.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/matrix.hpp"

namespace paco::methods {

struct PseudoRule {
  double start = 0;
  double slope = 0;
  double sure = 0;
  std::size_t rehearse = 0;
  std::size_t buffer = 0;
};

class PseudoStream {
 public:
  // embedded is (n, d), references (K, d), all of length 1 or 0.
  PseudoStream(Rows<const float> embedded, Rows<const float> references);

  std::size_t size() const { return known_.size(); }
  // Returns the category of each sample: known classes first, then in order of appearance.
  // `scratch` is a buffer that can be kept from one call to the next.
  std::vector<std::uint32_t> decide(const PseudoRule& rule, std::vector<double>& scratch) const;

 private:
  friend class PseudoRun;

  std::size_t classes_;
  math::Matrix<float> gram_;          // (n, n)
  std::vector<std::uint32_t> known_;  // (n) closest reference ...
  std::vector<double> known_cosine_;  // ... and its cosine
  double largest_ = 0;                // largest cosine between samples or with references
};

// Share of samples in the cluster that is matched to their class. The best matching of the classes
// with the largest clusters is used, with as many clusters as classes. Memory grows with the
// largest number.
double strict_all(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> answered);

}  // namespace paco::methods
