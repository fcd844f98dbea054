// See synthetic_data.hpp. Every sample has a stream of random numbers of its own.
#include "io/synthetic_data.hpp"

#include <cassert>

#include "core/random.hpp"

namespace paco::io {
namespace {

// Streams of the generator: class directions, the noise, and one for every sample after that.
constexpr std::uint64_t kNoiseStream = 1, kCentreStream = 2, kFirstSample = std::uint64_t{1} << 32;

}  // namespace

SyntheticData::SyntheticData(const SyntheticShape& shape)
    : shape_(shape),
      centres_(shape.known + shape.novel, shape.dimension),
      noise_(shape.noise_numbers) {
  assert(shape.noise_numbers > shape.dimension);
  core::Random noise(shape.seed, kNoiseStream);
  for (float& x : noise_) x = static_cast<float>(noise.normal());
  core::Random centre(shape.seed, kCentreStream);
  for (std::size_t k = 0; k < centres_.rows(); ++k) {
    for (float& x : centres_[k]) x = static_cast<float>(centre.normal());
  }
}

// Most samples have about the typical noise; a few have twice as much.
void SyntheticData::fill(std::size_t label, std::uint64_t draw, std::span<double> row) const {
  core::Random random(shape_.seed, kFirstSample + draw);
  const std::size_t d = shape_.dimension;
  const float* noise = noise_.data() + random.below(noise_.size() - d);
  const double u = random.uniform();
  const double spread = shape_.noise * (0.7 + 0.4 * u + 0.9 * u * u * u * u * u * u * u * u);
  const auto centre = centres_[label];
  for (std::size_t j = 0; j < d; ++j) {
    row[j] = static_cast<double>(centre[j]) + spread * static_cast<double>(noise[j]);
  }
}

void SyntheticData::support_row(std::size_t i, std::span<double> row) const {
  fill(i % shape_.known, i, row);
}

std::int64_t SyntheticData::stream_label(std::uint64_t i) const {
  core::Random random(shape_.seed + 1, kFirstSample + shape_.support + i);
  return static_cast<std::int64_t>(random.below(shape_.known + shape_.novel));
}

void SyntheticData::stream_row(std::uint64_t i, std::span<double> row) const {
  fill(static_cast<std::size_t>(stream_label(i)), shape_.support + i, row);
}

math::Matrix<double> SyntheticData::support() const {
  math::Matrix<double> rows(shape_.support, shape_.dimension);
  for (std::size_t i = 0; i < rows.rows(); ++i) support_row(i, rows[i]);
  return rows;
}

std::vector<std::int64_t> SyntheticData::support_labels() const {
  std::vector<std::int64_t> labels(shape_.support);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::int64_t>(i % shape_.known);
  }
  return labels;
}

math::Matrix<double> SyntheticData::stream(std::uint64_t first, std::size_t count) const {
  math::Matrix<double> rows(count, shape_.dimension);
  for (std::size_t i = 0; i < count; ++i) stream_row(first + i, rows[i]);
  return rows;
}

}  // namespace paco::io
