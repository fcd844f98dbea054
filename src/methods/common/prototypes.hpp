// A growing set of prototypes. Each one is the direction of a sum of unit embeddings.
//
// The exact sums are kept in double. Screening uses copies of them (float32 or 8 bits) and float32
// statistics with error bounds to find the prototypes that can win. Copies are updated when a block
// begins, not after every sample. Memory: 12 d + 37 bytes per prototype in float32, about 9 d + 45
// in 8 bits. Not thread-safe.
//
// Samples can be removed again if their components are such that sums of them are exact.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/growing_array.hpp"
#include "math/prefilter.hpp"

namespace paco::methods {

class PrototypeSet {
 public:
  // `roundings`: the largest number of float32 additions in a screened product (see BlockProducts).
  // Attach scores need statistics that cost time for every sample.
  enum class Attach : std::uint8_t { scored, never };
  explicit PrototypeSet(std::size_t dimension, std::size_t roundings = 0,
                        Attach attach = Attach::scored);

  std::size_t size() const { return sizes_.size(); }
  std::size_t dimension() const { return dimension_; }

  // Adds a new prototype from its first sample and returns its index. `sample_error`: the rounding
  // error of the sample in the products that are still in use (see BlockProducts).
  std::size_t add(const float* unit, float sample_error);
  void join(std::size_t k, const float* unit, float sample_error);
  void leave(std::size_t k, const float* unit, float sample_error);
  // Empties prototype k, which has no members left; add_at() starts another one in its place.
  void clear(std::size_t k);
  void add_at(std::size_t k, const float* unit, float sample_error);
  // Adds a prototype from a stored state; returns its index.
  std::size_t restore(std::span<const double> sum, std::int64_t members);
  // Replaces the sum of prototype k.
  void assign(std::size_t k, std::span<const double> sum, std::int64_t members);
  // Removes prototype k; the last prototype moves to its place.
  void remove(std::size_t k);

  std::int64_t members(std::size_t k) const { return sizes_[k]; }
  // |R|, the length of the sum.
  double resultant(std::size_t k) const { return std::sqrt(squares_[k]); }
  double squared(std::size_t k) const { return squares_[k]; }
  std::span<const double> sum(std::size_t k) const {
    return {sums_.data() + k * dimension_, dimension_};
  }

  // Exact, in double.
  double cosine(std::size_t k, const float* unit) const;
  double concentration(std::size_t k) const;

  // Screening. `copies` holds the sums as of the last update_copies().
  const math::Prefilter& copies() const { return copies_; }
  void update_copies();
  // Sets the format of the copies from the next update on.
  void change_format(math::PrefilterFormat format);
  // Screens the cosine itself. To screen other quantities, set factor, offset and common.
  math::PrefilterScores screened_cosines(const math::PrefilterRow& row) const;
  // Screens log n + kappa cos.
  math::PrefilterScores screened_attach_scores(const math::PrefilterRow& row) const;

  // Bytes in use per prototype, summed over all arrays.
  std::size_t bytes_per_prototype() const;

 private:
  void moved(std::size_t k, double squared, float sample_error);
  void bound_error(std::size_t k);

  std::size_t dimension_;
  std::size_t roundings_;
  Attach attach_;
  math::Prefilter copies_;
  double rounding_error_;  // of a screened product, relative to the lengths of its factors
  core::GrowingArray<double> sums_;
  core::GrowingArray<std::uint8_t> stale_;  // 1 if the sum has changed since its copy was made ...
  core::GrowingArray<float> drifts_;        // ... and the errors of the samples that changed it
  core::GrowingArray<std::int64_t> sizes_;
  core::GrowingArray<double> squares_;  // squared lengths of the sums
  core::GrowingArray<float> inverse_resultants_;
  core::GrowingArray<float> cosine_errors_;
  core::GrowingArray<float> concentrations_;
  core::GrowingArray<float> log_sizes_;
  std::vector<float> negated_;  // scratch
};

}  // namespace paco::methods
