// Matrix products with the same bits on every machine, because the order of every sum is fixed.
// Calibration needs this: its results are stored in model files, and the order of sums in BLAS
// depends on the processor. Compiled for several instruction sets and chosen at run time (Highway).
// For products that only narrow down candidates, prefilter.hpp is faster.
//
// In double the terms of a sum are added to it one after another. In float32 they are added as
// plain::chunked_dot or plain::fused_dot says. Splitting the work among threads or blocks changes
// no bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "paco/rows.hpp"

namespace paco::math {

// One factor of a product in double: element k of vector i is at data[k * stride + i] if `by_depth`
// is set, otherwise at data[i * stride + k].
struct Factor {
  const double* data = nullptr;
  std::size_t stride = 0;
  bool by_depth = false;
};

// c (m, n, row stride `stride`): c[i][j] += x_i[k] * y_j[k] for k = 0 .. depth - 1, in this order.
// With `signs` (depth), each +1 or -1, the term k is multiplied with signs[k]. With `upper`, only
// elements with j >= i are guaranteed.
void add_products(const Factor& x, std::size_t m, const Factor& y, std::size_t n, std::size_t depth,
                  double* c, std::size_t stride, const double* signs = nullptr, bool upper = false);

// How a term is added to its sum in float32: product and sum are rounded separately (rounded), or
// once together (fused). Fused takes half as much work if the processor has an instruction for it,
// and many times as much if not.
enum class Terms : std::uint8_t { rounded, fused };

// Rows with padding between them. Rows whose length is a multiple of a large power of two map to
// the same few places of the cache and evict each other. Rows that start an odd number of cache
// lines apart do not.
struct SpreadRows {
  // The distance between the starts of rows with this many columns.
  static constexpr std::size_t apart(std::size_t columns) {
    constexpr std::size_t kLine = 16;
    return ((columns + kLine - 1) / kLine | 1) * kLine;
  }

  const float* data = nullptr;  // row i begins at i * apart(columns)
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// Rows in float32, laid out for products with many other rows.
class PackedRows {
 public:
  PackedRows() = default;
  // With `lower`, row j is zero from column j + 1 on, and these zeros are neither stored nor
  // multiplied.
  explicit PackedRows(Rows<const float> rows, bool lower = false);
  // Replaces the packed rows by the columns of a matrix, that is, by the rows of its transpose. It
  // reuses its memory, for repeated products.
  void take_columns(Rows<const float> matrix);
  void take_rows(Rows<const float> rows, bool lower = false);

  std::size_t rows() const { return rows_; }
  std::size_t depth() const { return depth_; }

 private:
  friend void multiply_packed(const SpreadRows& a, const PackedRows& b, float* out,
                              std::size_t stride, std::size_t skip_below, Terms terms);
  std::size_t panel_depth(std::size_t panel) const;
  void lay_out(std::size_t rows, std::size_t depth, bool lower);

  std::size_t rows_ = 0;
  std::size_t depth_ = 0;
  bool lower_ = false;
  std::vector<float> panels_;         // 32 rows side by side, column after column
  std::vector<std::size_t> offsets_;  // of each panel
};

// out[i * stride + j] = plain::chunked_dot(a_i, b_j), or plain::fused_dot. Columns below
// `skip_below` may be left unwritten, which saves work in products of rows with themselves.
void multiply_packed(Rows<const float> a, const PackedRows& b, float* out, std::size_t stride,
                     std::size_t skip_below = 0, Terms terms = Terms::rounded);
// Same for rows that need no copy.
void multiply_packed(const SpreadRows& a, const PackedRows& b, float* out, std::size_t stride,
                     std::size_t skip_below = 0, Terms terms = Terms::rounded);

}  // namespace paco::math
