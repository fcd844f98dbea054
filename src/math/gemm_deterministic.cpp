// See gemm_deterministic.hpp. This file is compiled once per instruction set by Highway's
// foreach_target.
#include "math/gemm_deterministic.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "math/plain.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/gemm_deterministic.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PACO_ORDERED_PRODUCTS_SHAPES
#define PACO_ORDERED_PRODUCTS_SHAPES
namespace paco::math {

constexpr std::size_t kFloatPanel = 32;  // columns of a tile in float32

// The size of a tile in double: rows of x and columns of y.
struct DoubleShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// One panel in float32: (depth, 32), of which the first columns are packed rows. In its last `half`
// rows, which are in one chunk, the first 16 columns are zero.
struct PanelView {
  const float* data = nullptr;
  std::size_t depth = 0;
  std::size_t columns = 0;
  std::size_t half = 0;
};

// How a term is added to its sum in float32.
struct Rounded {
  static constexpr std::size_t kChunk = plain::kChunk;
};
struct Fused {
  static constexpr std::size_t kChunk = plain::kFusedChunk;
};

}  // namespace paco::math
#endif

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using F64 = hn::ScalableTag<double>;
using HalfF32 = hn::Rebind<float, F64>;

constexpr std::size_t kFloats = hn::MaxLanes(F32());
constexpr std::size_t kDoubles = hn::MaxLanes(F64());
constexpr std::size_t kFloatVectors = kFloatPanel / kFloats;  // in one row of a tile

// Processors with 512-bit registers have 32 of them, most of which can hold sums.
constexpr bool kManyRegisters = kDoubles >= 8;
constexpr std::size_t kFloatRows = kManyRegisters ? 8 : kFloatVectors <= 4 ? 2 : 1;
constexpr std::size_t kDoubleVectors = 4;
constexpr std::size_t kDoubleRows = kManyRegisters ? 6 : 2;
constexpr std::size_t kDoublePanel = kDoubleVectors * kDoubles;

HWY_INLINE hn::Vec<F32> MultiplyAdd(Rounded, hn::Vec<F32> x, hn::Vec<F32> y, hn::Vec<F32> sum) {
  return hn::Add(sum, hn::Mul(x, y));
}

#if HWY_NATIVE_FMA
HWY_INLINE hn::Vec<F32> MultiplyAdd(Fused, hn::Vec<F32> x, hn::Vec<F32> y, hn::Vec<F32> sum) {
  return hn::MulAdd(x, y, sum);
}
#else
// Fused multiply-add without the instruction. The product is exact in double. If the sum is not
// exact in double, it is rounded to the neighbour with an odd last bit; rounding that to float32
// gives the same as rounding the exact sum once.
HWY_INLINE float MultiplyAddOne(float x, float y, float sum) {
  const double product = static_cast<double>(x) * static_cast<double>(y);
  const auto addend = static_cast<double>(sum);
  const double total = product + addend, share = total - product;
  const double lost = (product - (total - share)) + (addend - share);
  auto bits = std::bit_cast<std::uint64_t>(total);
  if ((lost > 0 || lost < 0) && bits % 2 == 0) bits += (lost > 0) == (total > 0) ? 1 : -1;
  return static_cast<float>(std::bit_cast<double>(bits));
}

HWY_INLINE hn::Vec<F32> MultiplyAdd(Fused, hn::Vec<F32> x, hn::Vec<F32> y, hn::Vec<F32> sum) {
  const F32 d;
  HWY_ALIGN float xs[kFloats], ys[kFloats], sums[kFloats];
  hn::Store(x, d, xs);
  hn::Store(y, d, ys);
  hn::Store(sum, d, sums);
  for (std::size_t i = 0; i < kFloats; ++i) sums[i] = MultiplyAddOne(xs[i], ys[i], sums[i]);
  return hn::Load(d, sums);
}
#endif

// sums (R, 32) += the products of R rows of a with rows `begin` .. `end` - 1 of a panel, for the
// vectors of a row from kFrom on.
template <std::size_t kFrom, std::size_t R, class How>
HWY_INLINE void AddTerms(How how, const float* HWY_RESTRICT a, std::size_t a_stride,
                         const float* HWY_RESTRICT panel, std::size_t begin, std::size_t end,
                         hn::Vec<F32> (&sums)[R][kFloatVectors]) {
  const F32 d;
  for (std::size_t k = begin; k < end; ++k) {
    hn::Vec<F32> b[kFloatVectors];
    for (std::size_t v = kFrom; v < kFloatVectors; ++v)
      b[v] = hn::LoadU(d, panel + k * kFloatPanel + v * kFloats);
    for (std::size_t r = 0; r < R; ++r) {
      const auto x = hn::Set(d, a[r * a_stride + k]);
      for (std::size_t v = kFrom; v < kFloatVectors; ++v)
        sums[r][v] = MultiplyAdd(how, x, b[v], sums[r][v]);
    }
  }
}

// totals (R, 32) += the products of R rows of a with `terms` rows of a panel, which are one chunk;
// the first chunk replaces the totals. The last `half` of these rows are zero in the first 16
// columns.
template <std::size_t R, class How>
HWY_INLINE void FloatTile(const float* HWY_RESTRICT a, std::size_t a_stride,
                          const float* HWY_RESTRICT panel, std::size_t terms, std::size_t half,
                          double* HWY_RESTRICT totals, bool first) {
  const F32 d;
  hn::Vec<F32> sums[R][kFloatVectors];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < kFloatVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  AddTerms<0>(How(), a, a_stride, panel, 0, terms - half, sums);
  if (half > 0) AddTerms<kFloatVectors / 2>(How(), a, a_stride, panel, terms - half, terms, sums);
  HWY_ALIGN float chunk[kFloatPanel];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < kFloatVectors; ++v) hn::Store(sums[r][v], d, chunk + v * kFloats);
    double* to = totals + r * kFloatPanel;
    for (std::size_t j = 0; j < kFloatPanel; j += kDoubles) {
      const auto wide = hn::PromoteTo(F64(), hn::Load(HalfF32(), chunk + j));
      // Zero is added to the first chunk too: a sum that starts with -0 then becomes 0, as in plain
      // loops.
      const auto before = first ? hn::Zero(F64()) : hn::Load(F64(), to + j);
      hn::Store(hn::Add(before, wide), F64(), to + j);
    }
  }
}

HWY_INLINE void StoreTotals(const double* HWY_RESTRICT totals, std::size_t columns,
                            float* HWY_RESTRICT out) {
  HWY_ALIGN float edge[kFloatPanel];
  float* to = columns == kFloatPanel ? out : edge;
  for (std::size_t j = 0; j < kFloatPanel; j += kDoubles) {
    hn::StoreU(hn::DemoteTo(HalfF32(), hn::Load(F64(), totals + j)), HalfF32(), to + j);
  }
  if (to == edge) std::copy_n(edge, columns, out);
}

// out (rows, columns) = chunked dots of rows of a with one panel. It works chunk by chunk for some
// rows at a time, so that the chunk, its part of those rows and their totals all stay in the
// first-level cache.
template <class How>
HWY_INLINE void FloatPanel(const float* a, std::size_t rows, std::size_t a_stride,
                           const PanelView& panel, float* out, std::size_t stride) {
  const std::size_t depth = panel.depth;
  constexpr std::size_t kRowsAtOnce = 32, kHalf = kFloatRows > 1 ? kFloatRows / 2 : 1;
  HWY_ALIGN double totals[kRowsAtOnce * kFloatPanel];
  for (std::size_t base = 0; base < rows; base += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, rows - base);
    for (std::size_t k = 0; k < depth; k += How::kChunk) {
      const std::size_t terms = std::min(How::kChunk, depth - k);
      const std::size_t half = k + terms == depth ? panel.half : 0;
      const float* chunk = panel.data + k * kFloatPanel;
      const float* from = a + base * a_stride + k;
      const auto tile = [&](auto size, std::size_t i) {
        FloatTile<decltype(size)::value, How>(from + i * a_stride, a_stride, chunk, terms, half,
                                              totals + i * kFloatPanel, k == 0);
      };
      std::size_t i = 0;
      for (; i + kFloatRows <= count; i += kFloatRows)
        tile(std::integral_constant<std::size_t, kFloatRows>(), i);
      for (; i + kHalf <= count; i += kHalf) tile(std::integral_constant<std::size_t, kHalf>(), i);
      for (; i < count; ++i) tile(std::integral_constant<std::size_t, 1>(), i);
    }
    for (std::size_t i = 0; i < count; ++i)
      StoreTotals(totals + i * kFloatPanel, panel.columns, out + (base + i) * stride);
  }
}

void RoundedPanel(const float* a, std::size_t rows, std::size_t a_stride, const PanelView& panel,
                  float* out, std::size_t stride) {
  FloatPanel<Rounded>(a, rows, a_stride, panel, out, stride);
}

void FusedPanel(const float* a, std::size_t rows, std::size_t a_stride, const PanelView& panel,
                float* out, std::size_t stride) {
  FloatPanel<Fused>(a, rows, a_stride, panel, out, stride);
}

// One tile of c += x^T y for panels x (depth, rows of a tile) and y (depth, columns of one).
HWY_INLINE void DoubleTile(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y,
                           std::size_t depth, double* HWY_RESTRICT c, std::size_t stride) {
  const F64 d;
  hn::Vec<F64> sums[kDoubleRows][kDoubleVectors];
  for (std::size_t r = 0; r < kDoubleRows; ++r) {
    for (std::size_t v = 0; v < kDoubleVectors; ++v)
      sums[r][v] = hn::LoadU(d, c + r * stride + v * kDoubles);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    hn::Vec<F64> b[kDoubleVectors];
    for (std::size_t v = 0; v < kDoubleVectors; ++v)
      b[v] = hn::LoadU(d, y + k * kDoublePanel + v * kDoubles);
    for (std::size_t r = 0; r < kDoubleRows; ++r) {
      const auto a = hn::Set(d, x[k * kDoubleRows + r]);
      for (std::size_t v = 0; v < kDoubleVectors; ++v)
        sums[r][v] = hn::Add(sums[r][v], hn::Mul(a, b[v]));
    }
  }
  for (std::size_t r = 0; r < kDoubleRows; ++r) {
    for (std::size_t v = 0; v < kDoubleVectors; ++v)
      hn::StoreU(sums[r][v], d, c + r * stride + v * kDoubles);
  }
}

// c (rows, columns) += x^T y for consecutive panels of x and one panel of y; both are padded with
// zeros.
void DoublePanel(const double* x, std::size_t rows, const double* y, std::size_t columns,
                 std::size_t depth, double* c, std::size_t stride) {
  for (std::size_t i = 0; i < rows;
       i += kDoubleRows, x += depth * kDoubleRows, c += kDoubleRows * stride) {
    const std::size_t inside = std::min(kDoubleRows, rows - i);
    if (inside == kDoubleRows && columns == kDoublePanel) {
      DoubleTile(x, y, depth, c, stride);
      continue;
    }
    HWY_ALIGN double whole[kDoubleRows][kDoublePanel] = {};
    for (std::size_t r = 0; r < inside; ++r) std::copy_n(c + r * stride, columns, whole[r]);
    DoubleTile(x, y, depth, whole[0], kDoublePanel);
    for (std::size_t r = 0; r < inside; ++r) std::copy_n(whole[r], columns, c + r * stride);
  }
}

// Packs `count` vectors of a factor from `first` on, depths k .. k + depth: panels of kWidth
// vectors side by side, one depth after another. The last panel is padded with zeros.
template <std::size_t kWidth>
HWY_INLINE void Pack(const Factor& from, std::size_t first, std::size_t count, std::size_t k,
                     std::size_t depth, const double* signs, double* to) {
  for (std::size_t p = 0; p < count; p += kWidth, to += depth * kWidth) {
    const std::size_t inside = std::min(kWidth, count - p);
    if (inside < kWidth) std::fill_n(to, depth * kWidth, 0.0);
    if (!from.by_depth) {
      for (std::size_t i = 0; i < inside; ++i) {
        const double* vector = from.data + (first + p + i) * from.stride + k;
        for (std::size_t l = 0; l < depth; ++l) to[l * kWidth + i] = vector[l];
      }
    } else {
      const double* row = from.data + k * from.stride + first + p;
      for (std::size_t l = 0; l < depth; ++l, row += from.stride) {
        // With a size known at compile time, if possible, so that a short copy is not a function
        // call.
        if (inside == kWidth) {
          std::memcpy(to + l * kWidth, row, kWidth * sizeof(double));
        } else {
          std::copy_n(row, inside, to + l * kWidth);
        }
      }
    }
    for (std::size_t l = 0; signs != nullptr && l < depth; ++l) {
      if (!(signs[k + l] < 0)) continue;
      for (std::size_t i = 0; i < kWidth; ++i) to[l * kWidth + i] = -to[l * kWidth + i];
    }
  }
}

void PackRows(const Factor& from, std::size_t first, std::size_t count, std::size_t k,
              std::size_t depth, const double* signs, double* to) {
  Pack<kDoubleRows>(from, first, count, k, depth, signs, to);
}

void PackColumns(const Factor& from, std::size_t first, std::size_t count, std::size_t k,
                 std::size_t depth, double* to) {
  Pack<kDoublePanel>(from, first, count, k, depth, nullptr, to);
}

DoubleShape TileShape() { return {kDoubleRows, kDoublePanel}; }

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {

HWY_EXPORT(RoundedPanel);
HWY_EXPORT(FusedPanel);
HWY_EXPORT(DoublePanel);
HWY_EXPORT(TileShape);
HWY_EXPORT(PackRows);
HWY_EXPORT(PackColumns);

void add_products(const Factor& x, std::size_t m, const Factor& y, std::size_t n, std::size_t depth,
                  double* c, std::size_t stride, const double* signs, bool upper) {
  // Panels of kDepth fit the first-level cache; kRows rows of x fit the next level.
  constexpr std::size_t kDepth = 128, kRows = 768;
  const DoubleShape tile = HWY_DYNAMIC_DISPATCH(TileShape)();
  assert(kRows % tile.rows == 0);
  thread_local std::vector<double> left(kRows * kDepth), right;
  right.resize(tile.columns * kDepth);
  for (std::size_t k = 0; k < depth; k += kDepth) {
    const std::size_t terms = std::min(kDepth, depth - k);
    for (std::size_t i = 0; i < m; i += kRows) {
      const std::size_t block = std::min(kRows, m - i);
      HWY_DYNAMIC_DISPATCH(PackRows)(x, i, block, k, terms, signs, left.data());
      for (std::size_t j = upper ? i / tile.columns * tile.columns : 0; j < n; j += tile.columns) {
        const std::size_t columns = std::min(tile.columns, n - j);
        const std::size_t rows = upper ? std::min(block, j + columns - i) : block;
        HWY_DYNAMIC_DISPATCH(PackColumns)(y, j, columns, k, terms, right.data());
        HWY_DYNAMIC_DISPATCH(DoublePanel)
        (left.data(), rows, right.data(), columns, terms, c + i * stride + j, stride);
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
  // The padding rows of the last panel are multiplied too, so they must be zero.
  if (rows_ % kFloatPanel != 0)
    std::fill(panels_.data() + offsets_.back(), panels_.data() + size, 0.0f);
}

PackedRows::PackedRows(Rows<const float> rows, bool lower) { take_rows(rows, lower); }

void PackedRows::take_rows(Rows<const float> rows, bool lower) {
  lay_out(rows.rows, rows.columns, lower);
  // A few columns at a time, so that the destination stays in the first-level cache for all rows of
  // a panel.
  constexpr std::size_t kColumns = 64;
  for (std::size_t p = 0; p < offsets_.size(); ++p) {
    const std::size_t first = p * kFloatPanel, count = std::min(kFloatPanel, rows_ - first);
    const std::size_t depth = panel_depth(p);
    float* to = panels_.data() + offsets_[p];
    for (std::size_t base = 0; base < depth; base += kColumns) {
      const std::size_t end = std::min(base + kColumns, depth);
      for (std::size_t j = 0; j < count; ++j) {
        const float* from = rows[first + j].data();
        for (std::size_t k = base; k < end; ++k) to[k * kFloatPanel + j] = from[k];
      }
    }
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

void multiply_packed(const SpreadRows& a, const PackedRows& b, float* out, std::size_t stride,
                     std::size_t skip_below, Terms terms) {
  assert(a.columns == b.depth_);
  const auto multiply =
      terms == Terms::fused ? HWY_DYNAMIC_DISPATCH(FusedPanel) : HWY_DYNAMIC_DISPATCH(RoundedPanel);
  for (std::size_t p = skip_below / kFloatPanel; p < b.offsets_.size(); ++p) {
    const std::size_t first = p * kFloatPanel, depth = b.panel_depth(p);
    const std::size_t whole = b.lower_ ? std::min(depth, first + kFloatPanel / 2) : depth;
    multiply(a.data, a.rows, SpreadRows::apart(a.columns),
             {b.panels_.data() + b.offsets_[p], depth, std::min(kFloatPanel, b.rows_ - first),
              depth - whole},
             out + first, stride);
  }
}

void multiply_packed(Rows<const float> a, const PackedRows& b, float* out, std::size_t stride,
                     std::size_t skip_below, Terms terms) {
  constexpr std::size_t kRowsAtOnce = 64;
  const std::size_t apart = SpreadRows::apart(a.columns);
  thread_local std::vector<float> copies;
  copies.resize(std::max(copies.size(), std::min(kRowsAtOnce, a.rows) * apart));
  for (std::size_t base = 0; base < a.rows; base += kRowsAtOnce) {
    const std::size_t rows = std::min(kRowsAtOnce, a.rows - base);
    for (std::size_t i = 0; i < rows; ++i)
      std::copy_n(a.data + (base + i) * a.columns, a.columns, copies.data() + i * apart);
    multiply_packed(SpreadRows{copies.data(), rows, a.columns}, b, out + base * stride, stride,
                    skip_below, terms);
  }
}

}  // namespace paco::math
#endif  // HWY_ONCE
