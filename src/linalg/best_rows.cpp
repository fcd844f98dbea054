// See best_rows.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "linalg/best_rows.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linalg/best_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace paco {
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
    const double* column = table + v * kWidth;
    const auto skipped = hn::LoadU(d, left_out + v * kWidth);
    auto first = lowest, second = lowest;
    auto first_row = hn::Set(d, -1.0), second_row = first_row;
    for (std::size_t k = 0; k < rows; ++k) {
      const auto row = hn::Set(d, static_cast<double>(k));
      auto value = hn::Add(hn::Mul(hn::LoadU(d, column + k * stride), hn::Set(d, scales[k])),
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

}  // namespace HWY_NAMESPACE
}  // namespace paco
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco {

HWY_EXPORT(BestTwoRows);

void best_two_rows(const double* table, std::size_t stride, std::size_t rows, const double* scales,
                   const double* biases, const double* left_out, BestRows& best) {
  HWY_DYNAMIC_DISPATCH(BestTwoRows)(table, stride, rows, scales, biases, left_out, best);
}

}  // namespace paco
#endif  // HWY_ONCE
