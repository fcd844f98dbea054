// The embedding of `mirror`: how it is learned from labelled rows, and how rows go through it.
//
// A row that has no direction (it equals the mean of what the embedding was learned from) becomes
// the zero vector here, whose cosine with everything is 0. A caller that must not take such rows
// refuses them before.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "math/gemm_deterministic.hpp"
#include "math/trmv_int16.hpp"
#include "methods/mirror/model.hpp"
#include "methods/mirror/scatter.hpp"

namespace paco::methods {

// Rows of a larger matrix with their classes, 0 .. classes - 1, each of which has a row.
struct LabelledRows {
  Rows<const double> all;
  std::span<const std::size_t> chosen;
  std::span<const std::uint32_t> labels;  // one for each chosen row
  std::size_t classes = 0;
};

// Meaningless where `stop` is set before it returns.
MirrorEmbedding fit_embedding(const LabelledRows& rows, FitRoom& room, const std::stop_token& stop);

// Sends rows of a support set through an embedding, good to float32: thresholds are read off them.
// Made once for many rows; may be used by many threads.
class SupportEmbedder {
 public:
  explicit SupportEmbedder(const MirrorEmbedding& embedding);

  // v (count, d) of the chosen rows.
  math::Matrix<float> embed(Rows<const double> all, std::span<const std::size_t> chosen,
                            const std::stop_token& stop) const;

 private:
  const MirrorEmbedding& embedding_;
  math::PackedRows whitening_;
};

// Sends samples of a stream through an embedding; as MirrorEmbedding says, in less time and with
// less precision than the support set where that pays. May be used by many threads.
class StreamEmbedder {
 public:
  explicit StreamEmbedder(const MirrorEmbedding& embedding);

  // v (count, d) of raw rows. False where standardise_rows would refuse one of them.
  bool embed(Rows<const double> raw, Rows<float> v) const;

 private:
  const MirrorEmbedding& embedding_;
  math::PackedRows whitening_;     // this ...
  math::ShortTriangle in_shorts_;  // ... or this, or neither
};

// References of known classes and how close their samples are to each other.
struct MirrorReferences {
  math::Matrix<float> rows;  // (K, d) unit rows
  double rho = 0;            // not a number where no class has two samples
};
MirrorReferences references_of(Rows<const float> embedded, std::span<const std::uint32_t> labels,
                               std::size_t classes);

}  // namespace paco::methods
