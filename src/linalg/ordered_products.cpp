// See ordered_products.hpp. This file is compiled once per instruction set by Highway's
// foreach_target.
#include "linalg/ordered_products.hpp"

#include <algorithm>
#include <cassert>

#include "linalg/plain.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/ordered_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PACO_ORDERED_PRODUCTS_SHAPES
#define PACO_ORDERED_PRODUCTS_SHAPES
namespace paco {

constexpr std::size_t kFloatPanel = 32;   // columns of a tile in float32 ...
constexpr std::size_t kDoublePanel = 16;  // ... and in double

}  // namespace paco
#endif

HWY_BEFORE_NAMESPACE();
namespace paco {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using F64 = hn::ScalableTag<double>;
using HalfF32 = hn::Rebind<float, F64>;

constexpr std::size_t kFloats = hn::MaxLanes(F32());
constexpr std::size_t kDoubles = hn::MaxLanes(F64());
constexpr std::size_t kFloatVectors = kFloatPanel / kFloats;  // in one row of a tile
constexpr std::size_t kDoubleVectors = kDoublePanel / kDoubles;

// Half of the registers hold sums: processors with 512-bit registers have 32 of them.
constexpr std::size_t kRegisters = kDoubles >= 8 ? 32 : 16;
constexpr std::size_t kTileRows =
    kDoubleVectors < kRegisters / 2 ? kRegisters / 2 / kDoubleVectors : 1;

// out (R, columns) = chunked dots of R rows of a with one panel.
template <std::size_t R>
HWY_INLINE void FloatTile(const float* HWY_RESTRICT a, std::size_t a_stride,
                          const float* HWY_RESTRICT panel, std::size_t depth,
                          float* HWY_RESTRICT out, std::size_t stride, std::size_t columns) {
  const F32 d;
  HWY_ALIGN double totals[R][kFloatPanel] = {};
  for (std::size_t first = 0; first < depth; first += plain::kChunk) {
    const std::size_t last = std::min(first + plain::kChunk, depth);
    hn::Vec<F32> sums[R][kFloatVectors];
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t v = 0; v < kFloatVectors; ++v) sums[r][v] = hn::Zero(d);
    }
    for (std::size_t k = first; k < last; ++k) {
      hn::Vec<F32> b[kFloatVectors];
      for (std::size_t v = 0; v < kFloatVectors; ++v)
        b[v] = hn::LoadU(d, panel + k * kFloatPanel + v * kFloats);
      for (std::size_t r = 0; r < R; ++r) {
        const auto x = hn::Set(d, a[r * a_stride + k]);
        for (std::size_t v = 0; v < kFloatVectors; ++v)
          sums[r][v] = hn::Add(sums[r][v], hn::Mul(x, b[v]));
      }
    }
    HWY_ALIGN float chunk[kFloatPanel];
    for (std::size_t r = 0; r < R; ++r) {
      for (std::size_t v = 0; v < kFloatVectors; ++v) hn::Store(sums[r][v], d, chunk + v * kFloats);
      for (std::size_t j = 0; j < kFloatPanel; j += kDoubles) {
        const auto wide = hn::PromoteTo(F64(), hn::Load(HalfF32(), chunk + j));
        hn::Store(hn::Add(hn::Load(F64(), totals[r] + j), wide), F64(), totals[r] + j);
      }
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t j = 0; j < columns; ++j)
      out[r * stride + j] = static_cast<float>(totals[r][j]);
  }
}

void FloatPanel(const float* a, std::size_t rows, std::size_t a_stride, const float* panel,
                std::size_t depth, float* out, std::size_t stride, std::size_t columns) {
  std::size_t i = 0;
  for (; i + kTileRows <= rows; i += kTileRows) {
    FloatTile<kTileRows>(a + i * a_stride, a_stride, panel, depth, out + i * stride, stride,
                         columns);
  }
  for (; i < rows; ++i)
    FloatTile<1>(a + i * a_stride, a_stride, panel, depth, out + i * stride, stride, columns);
}

// c (R, 16) += x^T y for x (depth, x_stride) and y (depth, y_stride).
template <std::size_t R>
HWY_INLINE void DoubleTile(const double* HWY_RESTRICT x, std::size_t x_stride,
                           const double* HWY_RESTRICT y, std::size_t y_stride, std::size_t depth,
                           double* HWY_RESTRICT c, std::size_t stride) {
  const F64 d;
  hn::Vec<F64> sums[R][kDoubleVectors];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < kDoubleVectors; ++v)
      sums[r][v] = hn::LoadU(d, c + r * stride + v * kDoubles);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    hn::Vec<F64> b[kDoubleVectors];
    for (std::size_t v = 0; v < kDoubleVectors; ++v)
      b[v] = hn::LoadU(d, y + k * y_stride + v * kDoubles);
    for (std::size_t r = 0; r < R; ++r) {
      const auto a = hn::Set(d, x[k * x_stride + r]);
      for (std::size_t v = 0; v < kDoubleVectors; ++v)
        sums[r][v] = hn::Add(sums[r][v], hn::Mul(a, b[v]));
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < kDoubleVectors; ++v)
      hn::StoreU(sums[r][v], d, c + r * stride + v * kDoubles);
  }
}

template <std::size_t R>
HWY_INLINE void DoubleEdgeTile(const double* x, std::size_t x_stride, const double* y,
                               std::size_t y_stride, std::size_t depth, double* c,
                               std::size_t stride, std::size_t columns) {
  if (columns == kDoublePanel) return DoubleTile<R>(x, x_stride, y, y_stride, depth, c, stride);
  HWY_ALIGN double whole[R][kDoublePanel] = {};
  for (std::size_t r = 0; r < R; ++r) std::copy_n(c + r * stride, columns, whole[r]);
  DoubleTile<R>(x, x_stride, y, y_stride, depth, whole[0], kDoublePanel);
  for (std::size_t r = 0; r < R; ++r) std::copy_n(whole[r], columns, c + r * stride);
}

// c (m, n) += x^T y; y is padded to whole panels. Tiles wholly below the diagonal, which runs
// through c[i][i + shift], are left out where `upper`.
void DoubleBlock(const double* x, std::size_t x_stride, std::size_t m, const double* y,
                 std::size_t y_stride, std::size_t n, std::size_t depth, double* c,
                 std::size_t stride, bool upper, std::ptrdiff_t shift) {
  for (std::size_t j = 0; j < n; j += kDoublePanel) {
    const std::size_t columns = std::min(kDoublePanel, n - j);
    std::size_t rows = m;
    if (upper) {
      const auto last = static_cast<std::ptrdiff_t>(j + columns) - shift;
      rows = last <= 0 ? 0 : std::min(m, static_cast<std::size_t>(last));
    }
    std::size_t i = 0;
    for (; i + kTileRows <= rows; i += kTileRows) {
      DoubleEdgeTile<kTileRows>(x + i, x_stride, y + j, y_stride, depth, c + i * stride + j, stride,
                                columns);
    }
    for (; i < rows; ++i) {
      DoubleEdgeTile<1>(x + i, x_stride, y + j, y_stride, depth, c + i * stride + j, stride,
                        columns);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace paco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco {

HWY_EXPORT(FloatPanel);
HWY_EXPORT(DoubleBlock);

namespace {

constexpr std::size_t kDepth = 128, kRows = 128, kColumns = 128;  // of a block that fits the cache

// Copies vectors first .. first + count of a factor, depths k .. k + depth, to (depth, kRows).
void gather(const Factor& from, std::size_t first, std::size_t count, std::size_t k,
            std::size_t depth, const double* signs, double* to) {
  for (std::size_t l = 0; l < depth; ++l) {
    double* row = to + l * kRows;
    if (from.by_depth) {
      std::copy_n(from.data + (k + l) * from.stride + first, count, row);
    } else {
      const double* column = from.data + first * from.stride + k + l;
      for (std::size_t i = 0; i < count; ++i) row[i] = column[i * from.stride];
    }
    if (signs != nullptr && signs[k + l] < 0) {
      for (std::size_t i = 0; i < count; ++i) row[i] = -row[i];
    }
    const std::size_t padded = (count + kDoublePanel - 1) / kDoublePanel * kDoublePanel;
    std::fill(row + count, row + padded, 0.0);
  }
}

}  // namespace

void add_products(const Factor& x, std::size_t m, const Factor& y, std::size_t n, std::size_t depth,
                  double* c, std::size_t stride, const double* signs, bool upper) {
  static_assert(kRows == kColumns && kColumns % kDoublePanel == 0);
  thread_local std::vector<double> left(kDepth * kRows), right(kDepth * kColumns);
  for (std::size_t j = 0; j < n; j += kColumns) {
    const std::size_t columns = std::min(kColumns, n - j);
    for (std::size_t k = 0; k < depth; k += kDepth) {
      const std::size_t terms = std::min(kDepth, depth - k);
      gather(y, j, columns, k, terms, nullptr, right.data());
      for (std::size_t i = 0; i < (upper ? std::min(m, j + columns) : m); i += kRows) {
        const std::size_t rows = std::min(kRows, m - i);
        gather(x, i, rows, k, terms, signs, left.data());
        HWY_DYNAMIC_DISPATCH(DoubleBlock)
        (left.data(), kRows, rows, right.data(), kColumns, columns, terms, c + i * stride + j,
         stride, upper, static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(j));
      }
    }
  }
}

std::size_t PackedRows::panel_depth(std::size_t panel) const {
  return lower_ ? std::min(depth_, (panel + 1) * kFloatPanel) : depth_;
}

void PackedRows::lay_out(std::size_t rows, std::size_t depth, bool lower) {
  rows_ = rows;
  depth_ = depth;
  lower_ = lower;
  offsets_.clear();
  const std::size_t panels = (rows_ + kFloatPanel - 1) / kFloatPanel;
  std::size_t size = 0;
  for (std::size_t p = 0; p < panels; ++p) {
    offsets_.push_back(size);
    size += panel_depth(p) * kFloatPanel;
  }
  panels_.resize(size);
  // Rows that fill up the last panel are multiplied too.
  if (rows_ % kFloatPanel != 0)
    std::fill(panels_.data() + offsets_.back(), panels_.data() + size, 0.0f);
}

PackedRows::PackedRows(Rows<const float> rows, bool lower) { take_rows(rows, lower); }

void PackedRows::take_rows(Rows<const float> rows, bool lower) {
  lay_out(rows.rows, rows.columns, lower);
  for (std::size_t j = 0; j < rows_; ++j) {
    const std::size_t p = j / kFloatPanel, depth = panel_depth(p);
    float* to = panels_.data() + offsets_[p] + j % kFloatPanel;
    const float* from = rows[j].data();
    for (std::size_t k = 0; k < depth; ++k) to[k * kFloatPanel] = from[k];
  }
}

void PackedRows::take_columns(Rows<const float> matrix) {
  lay_out(matrix.columns, matrix.rows, false);
  for (std::size_t p = 0; p < offsets_.size(); ++p) {
    const std::size_t first = p * kFloatPanel, count = std::min(kFloatPanel, rows_ - first);
    float* to = panels_.data() + offsets_[p];
    for (std::size_t k = 0; k < depth_; ++k)
      std::copy_n(matrix[k].data() + first, count, to + k * kFloatPanel);
  }
}

void multiply_packed(Rows<const float> a, const PackedRows& b, float* out, std::size_t stride,
                     std::size_t skip_below) {
  assert(a.columns == b.depth_);
  for (std::size_t p = skip_below / kFloatPanel; p < b.offsets_.size(); ++p) {
    const std::size_t first = p * kFloatPanel;
    HWY_DYNAMIC_DISPATCH(FloatPanel)
    (a.data, a.rows, a.columns, b.panels_.data() + b.offsets_[p], b.panel_depth(p), out + first,
     stride, std::min(kFloatPanel, b.rows_ - first));
  }
}

}  // namespace paco
#endif  // HWY_ONCE
