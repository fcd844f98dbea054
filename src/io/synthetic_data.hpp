// Synthetic embeddings for benchmarks, tests and the demonstration without images. Classes are
// random directions, and samples lie around them with noise that varies from sample to sample, so
// that a stream has clear members, uncertain ones and outliers that start their own categories.
// Everything follows from the seed and is generated on demand, not stored.
//
// They are not suitable for measuring accuracy: real embeddings are less regular.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "math/matrix.hpp"

namespace paco::io {

struct SyntheticShape {
  std::string name;
  std::size_t dimension = 768;
  std::size_t known = 0;    // classes in the support set
  std::size_t novel = 0;    // classes that only the stream has
  std::size_t support = 0;  // samples
  std::size_t stream = 0;   // samples
  double noise = 1;         // typical length of the noise beside a class direction of length 1
  std::uint64_t seed = 1;
  std::size_t noise_numbers = std::size_t{1} << 17;  // drawn once; a row of noise is a stretch
};

class SyntheticData {
 public:
  explicit SyntheticData(const SyntheticShape& shape);

  const SyntheticShape& shape() const { return shape_; }
  // Support sample i is of class i % known.
  void support_row(std::size_t i, std::span<double> row) const;
  // Stream sample i has a class drawn uniformly from all classes.
  void stream_row(std::uint64_t i, std::span<double> row) const;

  math::Matrix<double> support() const;
  std::vector<std::int64_t> support_labels() const;
  math::Matrix<double> stream(std::uint64_t first, std::size_t rows) const;
  std::int64_t stream_label(std::uint64_t i) const;  // known classes first

 private:
  void fill(std::size_t label, std::uint64_t draw, std::span<double> row) const;

  SyntheticShape shape_;
  math::Matrix<float> centres_;  // (known + novel, d)
  std::vector<float> noise_;     // normal numbers
};

}  // namespace paco::io
