// A growing set of prototypes, each the direction of a sum of unit embeddings.
//
// The sums are kept in double and are the truth; beside them stand float32 copies and float32
// statistics with error bounds, from which screening narrows down who can win. 12 d + 32 bytes a
// prototype. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "base/growing_array.hpp"
#include "linalg/kernels.hpp"

namespace paco {

class PrototypeSet {
 public:
  // `roundings`: how many float32 additions a screened product may have behind it (see
  // BlockProducts).
  explicit PrototypeSet(std::size_t dimension, std::size_t roundings = 0);

  std::size_t size() const { return sizes_.size(); }
  std::size_t dimension() const { return dimension_; }

  // A new prototype from its first sample; returns its index.
  std::size_t add(const float* unit);
  void join(std::size_t k, const float* unit);
  // A prototype as a snapshot stored it.
  void restore(std::span<const double> sum, std::int64_t members);

  std::int64_t members(std::size_t k) const { return sizes_[k]; }
  // |R|, the length of the sum.
  double resultant(std::size_t k) const { return resultants_[k]; }
  std::span<const double> sum(std::size_t k) const {
    return {sums_.data() + k * dimension_, dimension_};
  }

  // Exact, in double.
  double cosine(std::size_t k, const float* unit) const;
  double concentration(std::size_t k) const;

  // The float32 side, one entry per prototype. `rounded` is (size, d): the sums as float32.
  const float* rounded() const { return rounded_.data(); }
  // Screens the cosine itself; add factor, offset and common for other quantities.
  ScreenedScores screened_cosines(const float* products) const;
  // Screens log n + kappa cos.
  ScreenedScores screened_attach_scores(const float* products) const;

  // Bytes in use for each prototype, all arrays counted.
  std::size_t bytes_per_prototype() const;

 private:
  void refresh(std::size_t k, double squared_length);

  std::size_t dimension_;
  double error_;  // bound on a screened product, relative to the lengths of its factors
  GrowingArray<double> sums_;
  GrowingArray<float> rounded_;
  GrowingArray<std::int64_t> sizes_;
  GrowingArray<double> resultants_;
  GrowingArray<float> inverse_resultants_;
  GrowingArray<float> cosine_errors_;
  GrowingArray<float> concentrations_;
  GrowingArray<float> log_sizes_;
};

}  // namespace paco
