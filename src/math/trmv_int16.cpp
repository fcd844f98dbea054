// See trmv_int16.hpp. This file is compiled once per instruction set by Highway's
// foreach_target.
#include "math/trmv_int16.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/trmv_int16.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef PACO_SHORT_TRIANGLE_PARTS
#define PACO_SHORT_TRIANGLE_PARTS
namespace paco::math {
namespace {

constexpr std::size_t kShortPanel = 32;   // rows of the matrix side by side
constexpr std::size_t kUnitsAtOnce = 64;  // vectors that go past a panel together

// Number of column pairs of a panel that have nonzero values below the diagonal.
constexpr std::size_t panel_pairs(std::size_t n, std::size_t first) {
  return std::min(n, first + kShortPanel) / 2;
}

// The distance between vectors of integers: an odd number of cache lines, so that they do not evict
// each other from the cache.
constexpr std::size_t shorts_apart(std::size_t n) {
  constexpr std::size_t kLine = 32;
  return ((n + kLine - 1) / kLine | 1) * kLine;
}

// s of the definition, for a vector whose largest component has this size.
inline float unit_scale(float largest) {
  constexpr float kMost = 32767;
  float scale = 1 << 16;
  while (scale > (1 << 14) && largest * scale > kMost) scale /= 2;
  return scale;
}

// What the kernel needs of a triangle.
struct TriangleView {
  std::size_t size = 0;
  const float* diagonal = nullptr;
  const float* scales = nullptr;
  const std::int32_t* panels = nullptr;
};

// Unit vectors as floats and as whole numbers, and 1 / s of each.
struct ShortUnits {
  const float* floats = nullptr;
  std::size_t floats_apart = 0;
  std::int16_t* shorts = nullptr;
  float inverses[kUnitsAtOnce] = {};
  std::size_t count = 0;
};

}  // namespace
}  // namespace paco::math
#endif

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::ScalableTag<std::int32_t>;

constexpr std::size_t kWords = hn::MaxLanes(I32());
constexpr std::size_t kVectors = kShortPanel / kWords;  // registers in one row of a tile
// Processors with 512-bit registers have 32 of them, most of which can hold sums.
constexpr std::size_t kTileRows = kWords >= 16 ? 8 : kVectors <= 4 ? 2 : 1;

// sum + the products of the two numbers in each word.
HWY_INLINE hn::Vec<I32> AddPairs(hn::Vec<I32> a, hn::Vec<I32> b, hn::Vec<I32> sum) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<std::int16_t, I32> shorts;
  auto unused = hn::Zero(I32());
  return hn::ReorderWidenMulAccumulate(I32(), hn::BitCast(shorts, a), hn::BitCast(shorts, b), sum,
                                       unused);
#else  // where the instruction adds other ones together
  const auto lower = [](hn::Vec<I32> v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const auto upper = [](hn::Vec<I32> v) { return hn::ShiftRight<16>(v); };
  return hn::Add(sum, hn::Add(hn::Mul(lower(a), lower(b)), hn::Mul(upper(a), upper(b))));
#endif
}

// sums (R, 32) += the products of R vectors with so many pairs of columns of a panel.
template <std::size_t R>
HWY_INLINE void Tile(const std::int16_t* HWY_RESTRICT shorts, std::size_t apart,
                     const std::int32_t* HWY_RESTRICT panel, std::size_t pairs,
                     std::int32_t* HWY_RESTRICT sums) {
  hn::Vec<I32> held[R][kVectors];
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v)
      held[r][v] = hn::Load(I32(), sums + r * kShortPanel + v * kWords);
  }
  for (std::size_t k = 0; k < pairs; ++k) {
    hn::Vec<I32> b[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
      b[v] = hn::LoadU(I32(), panel + k * kShortPanel + v * kWords);
    for (std::size_t r = 0; r < R; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, shorts + r * apart + 2 * k, sizeof pair);
      const auto a = hn::Set(I32(), pair);
      for (std::size_t v = 0; v < kVectors; ++v) held[r][v] = AddPairs(a, b[v], held[r][v]);
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::Store(held[r][v], I32(), sums + r * kShortPanel + v * kWords);
  }
}

// sums (count, 32) = the products of all vectors with a panel, a part of it at a time, which then
// stays in the fastest cache.
HWY_INLINE void MultiplyPanel(const ShortUnits& units, std::size_t apart, const std::int32_t* panel,
                              std::size_t pairs, std::int32_t* sums) {
  constexpr std::size_t kPairsAtOnce = 128;
  std::fill_n(sums, units.count * kShortPanel, 0);
  for (std::size_t k = 0; k < pairs; k += kPairsAtOnce) {
    const std::size_t some = std::min(kPairsAtOnce, pairs - k);
    const std::int32_t* part = panel + k * kShortPanel;
    const std::int16_t* from = units.shorts + 2 * k;
    std::size_t i = 0;
    for (; i + kTileRows <= units.count; i += kTileRows)
      Tile<kTileRows>(from + i * apart, apart, part, some, sums + i * kShortPanel);
    for (; i < units.count; ++i)
      Tile<1>(from + i * apart, apart, part, some, sums + i * kShortPanel);
  }
}

HWY_INLINE float LargestSize(const float* x, std::size_t n) {
  const F32 d;
  auto most = hn::Zero(d);
  std::size_t j = 0;
  for (; j + kWords <= n; j += kWords) most = hn::Max(most, hn::Abs(hn::LoadU(d, x + j)));
  float largest = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; j < n; ++j) largest = std::max(largest, std::abs(x[j]));
  return largest;
}

// to[j] = whole(x[j] scale). Adding a number whose last bit has the value 1 makes every machine
// round to the nearest integer.
HWY_INLINE void RoundToShorts(const float* x, float scale, std::int16_t* to, std::size_t n) {
  const F32 d;
  constexpr float kShift = 1.5f * (1 << 23);
  const auto scales = hn::Set(d, scale), shifts = hn::Set(d, kShift);
  const auto base = hn::BitCast(I32(), shifts);
  const hn::Rebind<std::int16_t, I32> shorts;
  std::size_t j = 0;
  for (; j + kWords <= n; j += kWords) {
    const auto shifted = hn::Add(hn::Mul(hn::LoadU(d, x + j), scales), shifts);
    hn::StoreU(hn::DemoteTo(shorts, hn::Sub(hn::BitCast(I32(), shifted), base)), shorts, to + j);
  }
  for (; j < n; ++j) to[j] = static_cast<std::int16_t>((x[j] * scale + kShift) - kShift);
}

// out[j] = the product whose sum is sums[j], for n rows of the matrix.
HWY_INLINE void Finish(const std::int32_t* sums, const float* diagonal, const float* scales,
                       const float* unit, float inverse, float* out, std::size_t n) {
  const F32 d;
  const auto inverses = hn::Set(d, inverse);
  std::size_t j = 0;
  for (; j + kWords <= n; j += kWords) {
    const auto own = hn::Mul(hn::LoadU(d, diagonal + j), hn::LoadU(d, unit + j));
    const auto step = hn::Mul(hn::LoadU(d, scales + j), inverses);
    const auto sum = hn::ConvertTo(d, hn::Load(I32(), sums + j));
    hn::StoreU(hn::Add(own, hn::Mul(sum, step)), d, out + j);
  }
  for (; j < n; ++j)
    out[j] = diagonal[j] * unit[j] + static_cast<float>(sums[j]) * (scales[j] * inverse);
}

void Multiply(const TriangleView& triangle, ShortUnits& units, float* out, std::size_t stride) {
  const std::size_t n = triangle.size, apart = shorts_apart(n);
  for (std::size_t i = 0; i < units.count; ++i) {
    const float* unit = units.floats + i * units.floats_apart;
    const float scale = unit_scale(LargestSize(unit, n));
    RoundToShorts(unit, scale, units.shorts + i * apart, n);
    units.inverses[i] = 1 / scale;
  }
  HWY_ALIGN std::int32_t sums[kUnitsAtOnce * kShortPanel];
  const std::int32_t* panel = triangle.panels;
  for (std::size_t first = 0; first < n; first += kShortPanel) {
    const std::size_t pairs = panel_pairs(n, first), rows = std::min(kShortPanel, n - first);
    MultiplyPanel(units, apart, panel, pairs, sums);
    for (std::size_t i = 0; i < units.count; ++i) {
      Finish(sums + i * kShortPanel, triangle.diagonal + first, triangle.scales + first,
             units.floats + i * units.floats_apart + first, units.inverses[i],
             out + i * stride + first, rows);
    }
    panel += pairs * kShortPanel;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {
namespace {

// q of row i of a matrix; returns r.
float round_row(const float* row, std::size_t i, std::int16_t* whole) {
  constexpr double kLength = 32000, kTiny = 1e-30;
  double squared = 0;
  for (std::size_t j = 0; j < i; ++j) {
    const auto x = static_cast<double>(row[j]);
    squared += x * x;
  }
  const auto scale = static_cast<float>(std::sqrt(squared) / kLength);
  const bool tiny = !(static_cast<double>(scale) > kTiny);
  for (std::size_t j = 0; j < i; ++j) {
    const double multiple = static_cast<double>(row[j]) / static_cast<double>(scale);
    whole[j] = tiny ? std::int16_t{0} : static_cast<std::int16_t>(std::nearbyint(multiple));
  }
  return tiny ? 0 : scale;
}

}  // namespace

HWY_EXPORT(Multiply);

ShortTriangle::ShortTriangle(Rows<const float> lower) {
  const std::size_t n = lower.rows;
  std::vector<std::int16_t> whole(n + 1);
  std::int32_t* panel = nullptr;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kShortPanel == 0) {
      const std::size_t begin = panels_.size();
      panels_.resize(begin + panel_pairs(n, i) * kShortPanel);
      panel = panels_.data() + begin;
    }
    diagonal_.push_back(lower[i][i]);
    scales_.push_back(round_row(lower[i].data(), i, whole.data()));
    whole[i] = 0;
    for (std::size_t j = 0; j < i; j += 2)
      std::memcpy(panel + j / 2 * kShortPanel + i % kShortPanel, &whole[j], sizeof *panel);
  }
}

void ShortTriangle::multiply(const float* units, std::size_t count, std::size_t apart, float* out,
                             std::size_t stride) const {
  thread_local std::vector<std::int16_t> shorts;
  shorts.resize(std::max(shorts.size(), kUnitsAtOnce * shorts_apart(size())));
  const TriangleView triangle{size(), diagonal_.data(), scales_.data(), panels_.data()};
  for (std::size_t first = 0; first < count; first += kUnitsAtOnce) {
    ShortUnits some{
        units + first * apart, apart, shorts.data(), {}, std::min(kUnitsAtOnce, count - first)};
    HWY_DYNAMIC_DISPATCH(Multiply)(triangle, some, out + first * stride, stride);
  }
}

namespace plain {

std::vector<float> multiply_short(Rows<const float> lower, const float* unit) {
  const std::size_t n = lower.rows;
  float largest = 0;
  for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(unit[j]));
  const float scale = unit_scale(largest);
  std::vector<std::int16_t> row(n);
  std::vector<float> out;
  for (std::size_t i = 0; i < n; ++i) {
    const float r = round_row(lower[i].data(), i, row.data());
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const auto whole = static_cast<std::int64_t>(std::nearbyint(unit[j] * scale));
      sum += whole * row[j];
    }
    assert(std::abs(sum) < std::int64_t{1} << 31);
    out.push_back(lower[i][i] * unit[i] + static_cast<float>(sum) * (r * (1 / scale)));
  }
  return out;
}

}  // namespace plain
}  // namespace paco::math
#endif  // HWY_ONCE
