// Matrix products whose bits are the same on every machine, because the order of every sum is
// fixed: what calibration computes ends up in model files, and BLAS adds up in whatever order suits
// the processor. Compiled for several instruction sets and chosen at run time (Highway). For
// products that only narrow candidates down, prefilter.hpp is faster.
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

// One factor of a product in double: element k of vector i stands at data[k * stride + i] where
// `by_depth`, else at data[i * stride + k].
struct Factor {
  const double* data = nullptr;
  std::size_t stride = 0;
  bool by_depth = false;
};

// c (m, n, row stride `stride`): c[i][j] += x_i[k] * y_j[k] for k = 0 .. depth - 1, in this order.
// With `signs` (depth), each +1 or -1, the term k is multiplied with signs[k]. With `upper`, only
// elements with j >= i are promised.
void add_products(const Factor& x, std::size_t m, const Factor& y, std::size_t n, std::size_t depth,
                  double* c, std::size_t stride, const double* signs = nullptr, bool upper = false);

// How a term joins its sum in float32: product and sum are rounded each, or at once. The latter is
// half as much work where the processor has an instruction for it, and many times as much where
// not.
enum class Terms : std::uint8_t { rounded, fused };

// Rows whose length is a large power of two, or a multiple of one, share the same few places of the
// cache and drive each other out. Such that begin an odd number of cache lines apart do not.
struct SpreadRows {
  // How far apart rows of so many columns should begin.
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
  // With `lower`, row j is zero from column j + 1 on, and the zeros are neither kept nor
  // multiplied.
  explicit PackedRows(Rows<const float> rows, bool lower = false);
  // In place of what was packed: the columns of a matrix, as the rows that they are of its
  // transpose. Keeps its memory, for products that come again and again.
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
// `skip_below` need not be written, which serves products of rows with themselves.
void multiply_packed(Rows<const float> a, const PackedRows& b, float* out, std::size_t stride,
                     std::size_t skip_below = 0, Terms terms = Terms::rounded);
// The same for rows that need no copy.
void multiply_packed(const SpreadRows& a, const PackedRows& b, float* out, std::size_t stride,
                     std::size_t skip_below = 0, Terms terms = Terms::rounded);

}  // namespace paco::math
