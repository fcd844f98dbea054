// The embedding of `mirror`: how it is learned from labelled rows, and how rows are transformed by
// it.
//
// A row without a direction (it equals the mean of the rows that the embedding was learned from)
// becomes the zero vector here, whose cosine with everything is 0. A caller that must not accept
// such rows checks them first.
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

// If `stop` is set before it returns, the result is meaningless.
MirrorEmbedding fit_embedding(const LabelledRows& rows, FitRoom& room, const std::stop_token& stop);

// Transforms rows of a support set by an embedding, accurate to float32, because thresholds are
// computed from them. Create it once for many rows; any number of threads can use it.
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

// Transforms samples of a stream by an embedding, as MirrorEmbedding describes. It is faster and
// less precise than for the support set if the dimension is large enough. Any number of threads can
// use it.
class StreamEmbedder {
 public:
  explicit StreamEmbedder(const MirrorEmbedding& embedding);

  // v (count, d) of raw rows. Returns false if standardise_rows would refuse one of them.
  bool embed(Rows<const double> raw, Rows<float> v) const;

 private:
  const MirrorEmbedding& embedding_;
  math::PackedRows whitening_;     // this ...
  math::ShortTriangle in_shorts_;  // ... or this, or neither
};

// References of the known classes, and how similar the samples of a class are to each other.
struct MirrorReferences {
  math::Matrix<float> rows;  // (K, d) unit rows
  double rho = 0;            // NaN if no class has two samples
};
MirrorReferences references_of(Rows<const float> embedded, std::span<const std::uint32_t> labels,
                               std::size_t classes);

}  // namespace paco::methods
