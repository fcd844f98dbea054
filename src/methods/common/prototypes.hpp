// A growing set of prototypes, each the direction of a sum of unit embeddings.
//
// The sums are kept in double and are the truth; beside them stand copies for screening (float32 or
// 8 bits) and float32 statistics with error bounds, from which screening narrows down who can win.
// Copies are renewed when a block begins, not with every sample. 12 d + 37 bytes a prototype in
// float32, about 9 d + 45 in 8 bits. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "core/growing_array.hpp"
#include "math/prefilter.hpp"

namespace paco::methods {

class PrototypeSet {
 public:
  // `roundings`: how many float32 additions a screened product may have behind it (see
  // BlockProducts).
  explicit PrototypeSet(std::size_t dimension, std::size_t roundings = 0);

  std::size_t size() const { return sizes_.size(); }
  std::size_t dimension() const { return dimension_; }

  // A new prototype from its first sample; returns its index. `sample_error`: what rounding took
  // from the sample in the products that go on being used (see BlockProducts).
  std::size_t add(const float* unit, float sample_error);
  void join(std::size_t k, const float* unit, float sample_error);
  // A prototype as a state stored it; returns its index.
  std::size_t restore(std::span<const double> sum, std::int64_t members);
  // Another sum for prototype k.
  void assign(std::size_t k, std::span<const double> sum, std::int64_t members);
  // Takes prototype k out; the last one takes its place.
  void remove(std::size_t k);

  std::int64_t members(std::size_t k) const { return sizes_[k]; }
  // |R|, the length of the sum.
  double resultant(std::size_t k) const { return resultants_[k]; }
  std::span<const double> sum(std::size_t k) const {
    return {sums_.data() + k * dimension_, dimension_};
  }

  // Exact, in double.
  double cosine(std::size_t k, const float* unit) const;
  double concentration(std::size_t k) const;

  // The screening side. `copies` holds the sums as they were at the last update_copies().
  const math::Prefilter& copies() const { return copies_; }
  void update_copies();
  // From the next update on, copies are in this format.
  void change_format(math::PrefilterFormat format);
  // Screens the cosine itself; add factor, offset and common for other quantities.
  math::PrefilterScores screened_cosines(const math::PrefilterRow& row) const;
  // Screens log n + kappa cos.
  math::PrefilterScores screened_attach_scores(const math::PrefilterRow& row) const;

  // Bytes in use for each prototype, all arrays counted.
  std::size_t bytes_per_prototype() const;

 private:
  void bound_error(std::size_t k);

  std::size_t dimension_;
  std::size_t roundings_;
  math::Prefilter copies_;
  double rounding_error_;  // of a screened product, relative to the lengths of its factors
  core::GrowingArray<double> sums_;
  core::GrowingArray<std::uint8_t> stale_;  // 1 where the sum has moved away from its copy ...
  core::GrowingArray<float> drifts_;        // ... and the errors of the samples that moved it
  core::GrowingArray<std::int64_t> sizes_;
  core::GrowingArray<double> resultants_;
  core::GrowingArray<float> inverse_resultants_;
  core::GrowingArray<float> cosine_errors_;
  core::GrowingArray<float> concentrations_;
  core::GrowingArray<float> log_sizes_;
};

}  // namespace paco::methods
