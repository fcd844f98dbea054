// See best_rows.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "math/best_rows.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/best_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::CappedTag<double, kColumnsAtOnce>;
constexpr std::size_t kWidth = hn::MaxLanes(F64());
constexpr std::size_t kVectors = kColumnsAtOnce / kWidth;

void BestTwoRows(const double* table, std::size_t stride, std::size_t rows, const double* scales,
                 const double* biases, const double* left_out, BestRows& best) {
  const F64 d;
  const auto lowest = hn::Set(d, -std::numeric_limits<double>::infinity());
  for (std::size_t v = 0; v < kVectors; ++v) {
    const auto skipped = hn::LoadU(d, left_out + v * kWidth);
    auto first = lowest, second = lowest;
    auto first_row = hn::Set(d, -1.0), second_row = first_row;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto row = hn::Set(d, static_cast<double>(k));
      auto value =
          hn::Add(hn::Mul(hn::LoadU(d, table + k * stride + v * kWidth), hn::Set(d, scales[k])),
                  hn::Set(d, biases[k]));
      value = hn::IfThenElse(hn::Eq(skipped, row), lowest, value);
      const auto beats_second = hn::Gt(value, second);
      if (hn::AllFalse(d, beats_second)) continue;
      const auto beats_first = hn::Gt(value, first);
      second = hn::IfThenElse(beats_first, first, hn::IfThenElse(beats_second, value, second));
      second_row =
          hn::IfThenElse(beats_first, first_row, hn::IfThenElse(beats_second, row, second_row));
      first = hn::IfThenElse(beats_first, value, first);
      first_row = hn::IfThenElse(beats_first, row, first_row);
    }
    hn::StoreU(first, d, best.first + v * kWidth);
    hn::StoreU(second, d, best.second + v * kWidth);
    hn::StoreU(first_row, d, best.first_row + v * kWidth);
    hn::StoreU(second_row, d, best.second_row + v * kWidth);
  }
}

// First finds the largest sum, with several partial maxima at once, then its first place.
std::size_t BestSum(const float* values, const float* biases, std::size_t n) {
  const hn::ScalableTag<float> d;
  const std::size_t width = hn::Lanes(d);
  const auto at = [&](std::size_t j) {
    return hn::Add(hn::LoadU(d, values + j), hn::LoadU(d, biases + j));
  };
  const auto lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto a = lowest, b = lowest, c = lowest, e = lowest;
  std::size_t j = 0;
  for (; j + 4 * width <= n; j += 4 * width) {
    a = hn::Max(a, at(j));
    b = hn::Max(b, at(j + width));
    c = hn::Max(c, at(j + 2 * width));
    e = hn::Max(e, at(j + 3 * width));
  }
  for (; j + width <= n; j += width) a = hn::Max(a, at(j));
  float best = hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(a, b), hn::Max(c, e))));
  for (; j < n; ++j) best = std::max(best, values[j] + biases[j]);
  if (!(best > -std::numeric_limits<float>::infinity())) return n;
  const auto wanted = hn::Set(d, best);
  for (j = 0; j + width <= n; j += width) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(at(j), wanted));
    if (found >= 0) return j + static_cast<std::size_t>(found);
  }
  // If all sums are minus infinity, Highway's emulated vectors return the lowest finite number as
  // the maximum, and no sum equals it.
  while (j < n && values[j] + biases[j] != best) ++j;
  return j;
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {

HWY_EXPORT(BestTwoRows);
HWY_EXPORT(BestSum);

void best_two_rows(const double* table, std::size_t stride, std::size_t rows, const double* scales,
                   const double* biases, const double* left_out, BestRows& best) {
  HWY_DYNAMIC_DISPATCH(BestTwoRows)(table, stride, rows, scales, biases, left_out, best);
}

std::size_t best_sum(const float* values, const float* biases, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(BestSum)(values, biases, n);
}

}  // namespace paco::math
#endif  // HWY_ONCE
