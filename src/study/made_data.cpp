#include "study/made_data.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace paco {
namespace {

constexpr std::size_t kNoiseLength = std::size_t{1} << 17;
// Streams of the generator: class directions, the noise, and one for every sample after that.
constexpr std::uint64_t kNoiseStream = 1, kCentreStream = 2, kFirstSample = std::uint64_t{1} << 32;

}  // namespace

// The noise is chosen so that the number of categories at the end is near that of the real set.
MadeShape cars_shape() { return {"cars", 768, 98, 98, 2000, 6144, 2.97, 1}; }
MadeShape cub_shape() { return {"cub", 768, 100, 100, 1498, 4496, 2.5, 1}; }
MadeShape imagenet_shape() { return {"imagenet-100", 768, 50, 50, 31860, 95255, 2.5, 1}; }

MadeData::MadeData(const MadeShape& shape)
    : shape_(shape), centres_(shape.known + shape.novel, shape.dimension), noise_(kNoiseLength) {
  Random noise(shape.seed, kNoiseStream);
  for (float& x : noise_) x = static_cast<float>(noise.normal());
  Random centre(shape.seed, kCentreStream);
  for (std::size_t k = 0; k < centres_.rows(); ++k) {
    for (float& x : centres_[k]) x = static_cast<float>(centre.normal());
  }
}

// Most samples have about the typical noise; a few have twice as much.
void MadeData::fill(std::size_t label, std::uint64_t draw, std::span<double> row) const {
  Random random(shape_.seed, kFirstSample + draw);
  const std::size_t d = shape_.dimension;
  const float* noise = noise_.data() + random.below(kNoiseLength - d);
  const double u = random.uniform();
  const double spread = shape_.noise * (0.7 + 0.4 * u + 0.9 * u * u * u * u * u * u * u * u);
  const auto centre = centres_[label];
  for (std::size_t j = 0; j < d; ++j) {
    row[j] = static_cast<double>(centre[j]) + spread * static_cast<double>(noise[j]);
  }
}

void MadeData::support_row(std::size_t i, std::span<double> row) const {
  fill(i % shape_.known, i, row);
}

void MadeData::stream_row(std::uint64_t i, std::span<double> row) const {
  const std::uint64_t draw = shape_.support + i;
  Random random(shape_.seed + 1, kFirstSample + draw);
  fill(random.below(shape_.known + shape_.novel), draw, row);
}

Matrix<double> MadeData::support() const {
  Matrix<double> rows(shape_.support, shape_.dimension);
  for (std::size_t i = 0; i < rows.rows(); ++i) support_row(i, rows[i]);
  return rows;
}

std::vector<std::int64_t> MadeData::support_labels() const {
  std::vector<std::int64_t> labels(shape_.support);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::int64_t>(i % shape_.known);
  }
  return labels;
}

Matrix<double> MadeData::stream(std::uint64_t first, std::size_t count) const {
  Matrix<double> rows(count, shape_.dimension);
  for (std::size_t i = 0; i < count; ++i) stream_row(first + i, rows[i]);
  return rows;
}

Result<Model> calibrate_made(const MadeData& data, const CalibrationOptions& options) {
  const Matrix<double> support = data.support();
  const std::vector<std::int64_t> labels = data.support_labels();
  return calibrate({support, labels, {}, {}}, options);
}

}  // namespace paco
