// See unit_grid.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "math/unit_grid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/unit_grid.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/partial_sums_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class From>
HWY_INLINE void ScaleOnGrid(const From* from, double factor, double shift, float* to,
                            std::size_t n) {
  const F64 d;
  const auto factors = hn::Set(d, factor), shifts = hn::Set(d, shift);
  std::size_t j = 0;
  for (; j + kWidth <= n; j += kWidth) {
    const VecF64 shifted = hn::Add(hn::Mul(load(from + j), factors), shifts);
    hn::StoreU(hn::DemoteTo(HalfF32(), hn::Sub(shifted, shifts)), HalfF32(), to + j);
  }
  for (; j < n; ++j)
    to[j] = static_cast<float>((static_cast<double>(from[j]) * factor + shift) - shift);
}

void PutOnGrid(const float* from, double shift, float* to, std::size_t n) {
  ScaleOnGrid(from, 1.0, shift, to, n);
}

// `wide` is memory for n doubles: the conversion to double is the slow part, and each number is
// converted once.
void NormaliseOnGrid(const float* from, double shift, double* wide, float* to, std::size_t n) {
  PartialSums partial;
  std::size_t i = 0;
  for (; i + plain::kPartialSums <= n; i += plain::kPartialSums) {
    for (std::size_t r = 0; r < kRegisters; ++r) {
      const std::size_t at = i + r * kWidth;
      const VecF64 x = load(from + at);
      hn::StoreU(x, F64(), wide + at);
      partial.sums[r] = hn::Add(partial.sums[r], hn::Mul(x, x));
    }
  }
  const double squared = partial.finish(i, n, [&](std::size_t k) {
    wide[k] = static_cast<double>(from[k]);
    return wide[k] * wide[k];
  });
  const double length = std::sqrt(squared);
  ScaleOnGrid(wide, length > 0 ? 1 / length : 0.0, shift, to, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {

HWY_EXPORT(PutOnGrid);
HWY_EXPORT(NormaliseOnGrid);

void put_on_grid(const float* from, double shift, float* to, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(PutOnGrid)(from, shift, to, n);
}

void normalise_on_grid(const float* from, double shift, float* to, std::size_t n) {
  thread_local std::vector<double> wide;
  wide.resize(std::max(wide.size(), n));
  HWY_DYNAMIC_DISPATCH(NormaliseOnGrid)(from, shift, wide.data(), to, n);
}

}  // namespace paco::math
#endif  // HWY_ONCE
