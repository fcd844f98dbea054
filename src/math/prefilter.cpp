#include "math/prefilter.hpp"

#include <algorithm>
#include <cassert>

#include "core/threads.hpp"
#include "math/gemm.hpp"
#include "math/gemm_int8.hpp"

namespace paco::math {

namespace {

// Chosen rows can be anywhere in memory, so the processor cannot predict the next one.
void prefetch(std::span<const float> row) {
  constexpr std::size_t kCacheLine = 64 / sizeof(float);
  for (std::size_t j = 0; j < row.size(); j += kCacheLine) __builtin_prefetch(row.data() + j);
}

}  // namespace

PrefilterFormat best_screen_format(std::size_t n) {
  return has_fast_gemm_int8(n) ? PrefilterFormat::bytes : PrefilterFormat::float32;
}

void SampleBlock::assign(Rows<const float> units, PrefilterFormat format) {
  reshape(units.rows, units.columns, format);
  floats_ = units.data;
  if (format_ == PrefilterFormat::float32) return;
  for (std::size_t i = 0; i < rows_; ++i) round(i, units[i].data());
}

void SampleBlock::assign(Rows<const float> units, std::span<const std::size_t> chosen,
                         PrefilterFormat format) {
  reshape(chosen.size(), units.columns, format);
  if (format_ == PrefilterFormat::float32) return copy_floats(units.data, chosen);
  for (std::size_t i = 0; i < rows_; ++i) {
    if (i + 1 < rows_) prefetch(units[chosen[i + 1]]);
    round(i, units[chosen[i]].data());
  }
}

void SampleBlock::assign(const SampleBlock& from, std::span<const std::size_t> chosen) {
  reshape(chosen.size(), from.dimension_, from.format_);
  if (format_ == PrefilterFormat::float32) return copy_floats(from.floats_, chosen);
  const std::size_t stride = byte_stride(dimension_);
  for (std::size_t i = 0; i < rows_; ++i) {
    std::copy_n(from.bytes_.data() + chosen[i] * stride, stride, bytes_.data() + i * stride);
    scales_[i] = from.scales_[chosen[i]];
    errors_[i] = from.errors_[chosen[i]];
    starts_[i] = from.starts_[chosen[i]];
  }
}

void SampleBlock::reshape(std::size_t rows, std::size_t dimension, PrefilterFormat format) {
  format_ = format;
  rows_ = rows;
  dimension_ = dimension;
  if (format_ == PrefilterFormat::float32) return;
  bytes_.resize(rows_ * byte_stride(dimension_));
  scales_.resize(rows_);
  errors_.resize(rows_);
  starts_.resize(rows_);
}

void SampleBlock::copy_floats(const float* from, std::span<const std::size_t> chosen) {
  own_floats_.resize(std::max(own_floats_.size(), rows_ * dimension_));
  floats_ = own_floats_.data();
  for (std::size_t i = 0; i < rows_; ++i) {
    std::copy_n(from + chosen[i] * dimension_, dimension_, own_floats_.data() + i * dimension_);
  }
}

void SampleBlock::round(std::size_t i, const float* unit) {
  const std::size_t stride = byte_stride(dimension_);
  std::int8_t* bytes = bytes_.data() + i * stride;
  const RoundedToBytes rounded = round_to_bytes(unit, dimension_, bytes);
  std::fill(bytes + dimension_, bytes + stride, std::int8_t{0});
  scales_[i] = rounded.scale;
  errors_[i] = rounded.error;
  starts_[i] = -128 * rounded.sum;
}

void SampleBlock::multiply_self(float* out) {
  if (format_ == PrefilterFormat::float32) {
    math::multiply_self(floats_, rows_, dimension_, out);
    return;
  }
  const std::size_t stride = byte_stride(dimension_);
  panels_.resize(std::max(panels_.size(), panel_bytes(rows_, dimension_)));
  for (std::size_t i = 0; i < rows_; ++i) {
    store_in_panel(bytes_.data() + i * stride, dimension_, i, panels_.data());
  }
  // Multiplies each panel of columns with the rows from its diagonal on.
  for (std::size_t k = 0; k < rows_; k += kPanelRows) {
    const std::size_t columns = std::min(kPanelRows, rows_ - k);
    multiply_bytes({bytes_.data() + k * stride, scales_.data() + k, starts_.data() + k, rows_ - k},
                   {panels_.data() + k * stride, scales_.data() + k, columns}, dimension_,
                   out + k * rows_ + k, rows_);
  }
}

Prefilter::Prefilter(std::size_t dimension, PrefilterFormat format)
    : format_(format), dimension_(dimension) {}

Prefilter::Prefilter(Rows<const float> unit_rows, PrefilterFormat format)
    : Prefilter(unit_rows.columns, format) {
  if (format_ == PrefilterFormat::float32) {
    fixed_floats_ = unit_rows.data;
    size_ = unit_rows.rows;
    return;
  }
  const double roundings = rounding_error(0);
  for (std::size_t k = 0; k < unit_rows.rows; ++k) {
    set(k, unit_rows[k].data());
    const auto error = static_cast<double>(errors_[k]);
    cosine_errors_.push_back(static_cast<float>((error + roundings * (1 + error)) * 1.001));
  }
}

void Prefilter::set(std::size_t k, const double* row) {
  row_.resize(dimension_);
  to_float32(row, row_.data(), dimension_);
  set(k, row_.data());
}

void Prefilter::set(std::size_t k, const float* row) {
  assert(k <= size_ && fixed_floats_ == nullptr);
  size_ = std::max(size_, k + 1);
  if (format_ == PrefilterFormat::float32) {
    floats_.resize(size_ * dimension_);
    std::copy_n(row, dimension_, floats_.data() + k * dimension_);
    return;
  }
  panels_.resize(panel_bytes(size_, dimension_));
  scales_.resize(size_);
  errors_.resize(size_);
  multiples_.resize(byte_stride(dimension_));
  const RoundedToBytes rounded = round_to_bytes(row, dimension_, multiples_.data());
  store_in_panel(multiples_.data(), dimension_, k, panels_.data());
  scales_[k] = rounded.scale;
  errors_[k] = rounded.error;
}

void Prefilter::multiply(const SampleBlock& samples, float* out, std::size_t stride,
                         core::ThreadPool& pool, std::size_t worth_a_thread) const {
  assert(samples.format_ == format_ && samples.dimension_ == dimension_);
  if (format_ == PrefilterFormat::float32) {
    const float* rows = fixed_floats_ != nullptr ? fixed_floats_ : floats_.data();
    if (samples.rows_ == 1) {
      screen_rows(rows, size_, samples.floats_, dimension_, out);
    } else {
      multiply_transposed(samples.floats_, samples.rows_, rows, size_, dimension_, out, stride,
                          pool);
    }
    return;
  }
  const std::size_t panels = (size_ + kPanelRows - 1) / kPanelRows;
  const std::size_t worth = worth_a_thread / (samples.rows_ * kPanelRows * dimension_ + 1) + 1;
  const std::size_t share = (panels + pool.threads() - 1) / pool.threads();
  pool.parallel_for(panels, std::max(share, worth), [&](std::size_t a, std::size_t b) {
    const std::size_t first = a * kPanelRows, last = std::min(b * kPanelRows, size_);
    multiply_bytes(
        {samples.bytes_.data(), samples.scales_.data(), samples.starts_.data(), samples.rows_},
        {panels_.data() + first * byte_stride(dimension_), scales_.data() + first, last - first},
        dimension_, out + first, stride);
  });
}

double Prefilter::rounding_error(std::size_t extra) const {
  // Sums of bytes are exact: only the conversion to float32 and the scaling round.
  return screen_error(format_ == PrefilterFormat::bytes ? 0 : dimension_, extra);
}

PrefilterScores Prefilter::screened_cosines(const PrefilterRow& row) const {
  PrefilterScores scores;
  scores.products = row.products;
  scores.count = size_;
  if (format_ == PrefilterFormat::float32) {
    scores.constant_error = static_cast<float>(rounding_error(0));
  } else {
    scores.cosine_error = cosine_errors_.data();
    scores.stretch = 1 + row.error;
    scores.constant_error = row.error;
  }
  return scores;
}

std::size_t Prefilter::bytes_per_row() const {
  return format_ == PrefilterFormat::bytes ? byte_stride(dimension_) + 2 * sizeof(float)
                                           : dimension_ * sizeof(float);
}

}  // namespace paco::math
