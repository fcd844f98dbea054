// Products for screening: a block of samples with a bank of rows, in the fastest format of the
// processor, with the values that bound their errors.
//
// There are two formats, and callers do not depend on which is used. In float32 the products are
// those of gemm.hpp. In bytes (if has_fast_gemm_int8 is true) both sides are rounded to 8 bits,
// each vector with its own scale, and the length of the rounding difference bounds the error: with
// u', r' for the rounded u, r,   |u.r - u'.r'| <= |u - u'| |r| + |u'| |r - r'|. A sample that joins
// a prototype while its block is decided adds its own |u - u'| to |r - r'|.
//
// Decisions do not depend on the format: products only exclude candidates that cannot win.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/growing_array.hpp"
#include "math/kernels.hpp"
#include "math/matrix.hpp"

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::math {

enum class PrefilterFormat : std::uint8_t { float32, bytes };

// The faster format for vectors of n elements on this processor. Not for vectors so similar that
// The faster format for vectors of n elements on this processor. For vectors so similar that 8 bits
// cannot distinguish most of them, the result may not be the faster format.
PrefilterFormat best_screen_format(std::size_t n);

// One sample's products with all rows of a bank.
struct PrefilterRow {
  const float* products = nullptr;
  float error = 0;  // length of what rounding took from the sample; 0 in float32
};

// Unit vectors of samples in the format of a bank.
class SampleBlock {
 public:
  // In float32 this keeps a view of `units`, which must stay alive.
  void assign(Rows<const float> units, PrefilterFormat format);
  // The rows with the given indices, in the given order, of `units` or of another block.
  void assign(Rows<const float> units, std::span<const std::size_t> chosen, PrefilterFormat format);
  void assign(const SampleBlock& from, std::span<const std::size_t> chosen);

  std::size_t rows() const { return rows_; }
  float error(std::size_t i) const { return format_ == PrefilterFormat::bytes ? errors_[i] : 0.0f; }
  // Products of the samples with each other: the lower triangle of a (rows, rows) matrix.
  void multiply_self(float* out);

 private:
  friend class Prefilter;
  void reshape(std::size_t rows, std::size_t dimension, PrefilterFormat format);
  void copy_floats(const float* from, std::span<const std::size_t> chosen);
  void round(std::size_t i, const float* unit);

  PrefilterFormat format_ = PrefilterFormat::float32;
  std::size_t rows_ = 0;
  std::size_t dimension_ = 0;
  const float* floats_ = nullptr;  // (rows, d)
  std::vector<float> own_floats_;  // the numbers, if floats_ is a selection of another block
  std::vector<std::int8_t> bytes_;
  std::vector<float> scales_, errors_;
  std::vector<std::int32_t> starts_;
  std::vector<std::uint8_t> panels_;  // a second copy of the samples, as rows of multiply_self
};

class Prefilter {
 public:
  // An empty bank that set() fills.
  Prefilter(std::size_t dimension, PrefilterFormat format);
  // A bank of unit rows that never change. In float32 it keeps a view of them; they must stay
  // alive.
  Prefilter(Rows<const float> unit_rows, PrefilterFormat format);

  PrefilterFormat format() const { return format_; }
  std::size_t size() const { return size_; }
  // Copies row k; k is at most size().
  void set(std::size_t k, const double* row);

  // Removes all rows from `size` on.
  void shrink(std::size_t size) { size_ = std::min(size_, size); }

  // Waking a thread takes as long as tens of millions of multiplications of bytes.
  static constexpr std::size_t kWorthAThread = std::size_t{1} << 25;

  // Row i of out (stride `stride`) = the products of sample i with all rows. Each thread gets at
  // least `worth_a_thread` multiplications of bytes.
  void multiply(const SampleBlock& samples, float* out, std::size_t stride, core::ThreadPool& pool,
                std::size_t worth_a_thread = kWorthAThread) const;

  // Length of the rounding difference of row k; 0 in float32.
  float error(std::size_t k) const { return format_ == PrefilterFormat::bytes ? errors_[k] : 0.0f; }
  // Bound on the float32 rounding errors of a product, relative to the lengths of its factors, with
  // up to `extra` further additions.
  double rounding_error(std::size_t extra) const;
  // Cosines of a sample with a bank of unit rows.
  PrefilterScores screened_cosines(const PrefilterRow& row) const;

  // Bytes in use for each row.
  std::size_t bytes_per_row() const;

 private:
  void set(std::size_t k, const float* row);

  PrefilterFormat format_;
  std::size_t dimension_;
  std::size_t size_ = 0;
  const float* fixed_floats_ = nullptr;
  core::GrowingArray<float> floats_;         // (size, d)
  core::GrowingArray<std::uint8_t> panels_;  // see gemm_int8.hpp
  core::GrowingArray<float> scales_, errors_;
  std::vector<float> cosine_errors_;    // of fixed rows: errors_ and the roundings of a product
  std::vector<float> row_;              // scratch: one row in float32 ...
  std::vector<std::int8_t> multiples_;  // ... and in bytes
};

}  // namespace paco::math
