// Made embeddings for measuring speed: classes are random directions, samples stand around them
// with noise that varies from sample to sample, so that a stream has clear members, doubtful ones
// and outliers that start categories of their own. Deterministic, made on the fly, nothing stored.
//
// Not for judging accuracy: real embeddings are not this regular.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linalg/matrix.hpp"
#include "paco/model.hpp"

namespace paco {

struct MadeShape {
  std::string name;
  std::size_t dimension = 768;
  std::size_t known = 0;    // classes in the support set
  std::size_t novel = 0;    // classes that only the stream has
  std::size_t support = 0;  // samples
  std::size_t stream = 0;   // samples
  double noise = 1;         // typical length of the noise beside a class direction of length 1
  std::uint64_t seed = 1;
};

// The shapes of the paper's data sets.
MadeShape cars_shape();      // 6,144 samples, 98 known classes, about 367 prototypes at the end
MadeShape cub_shape();       // support of 1,498 in 100 classes
MadeShape imagenet_shape();  // support of 31,860 in 50 classes

class MadeData {
 public:
  explicit MadeData(const MadeShape& shape);

  const MadeShape& shape() const { return shape_; }
  // Support sample i is of class i % known.
  void support_row(std::size_t i, std::span<double> row) const;
  // Stream sample i is of a class drawn evenly from all.
  void stream_row(std::uint64_t i, std::span<double> row) const;

  Matrix<double> support() const;
  std::vector<std::int64_t> support_labels() const;
  Matrix<double> stream(std::uint64_t first, std::size_t rows) const;

 private:
  void fill(std::size_t label, std::uint64_t draw, std::span<double> row) const;

  MadeShape shape_;
  Matrix<float> centres_;     // (known + novel, d)
  std::vector<float> noise_;  // normal numbers; a row of noise is a stretch of it
};

// Calibrated on the made support set.
Result<Model> calibrate_made(const MadeData& data, const CalibrationOptions& options = {});

}  // namespace paco
