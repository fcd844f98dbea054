// Embeddings made up for a demonstration without images: blobs of directions on a sphere, a few of
// them known, and a stream in which the others turn up. Deterministic for a seed.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/matrix.hpp"

namespace paco {

struct MadeOptions {
  std::size_t dimension = 64;
  std::size_t known = 20;    // classes with labelled samples
  std::size_t novel = 10;    // classes that only the stream holds
  std::size_t support = 60;  // labelled samples of each known class
  std::size_t stream = 600;  // samples of each class in the stream
  double concentration =
      9.0;  // length of a class's mean against noise of deviation 1 per coordinate
  std::uint64_t seed = 0;
};

struct MadeEmbeddings {
  Matrix<double> support;  // (known * support, dimension)
  std::vector<std::int64_t> support_labels;
  Matrix<double> stream;                    // ((known + novel) * stream, dimension), shuffled
  std::vector<std::int64_t> stream_labels;  // known classes first
};

MadeEmbeddings make_embeddings(const MadeOptions& options);

}  // namespace paco
