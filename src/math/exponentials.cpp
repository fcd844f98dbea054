// See exponentials.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "math/exponentials.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/exponentials.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F64 = hn::ScalableTag<double>;
using Narrow = hn::Rebind<float, F64>;

// exp x = 2^k exp r with |r| at most half of log 2.
template <class D>
HWY_INLINE hn::Vec<D> Exponential(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> bits;
  const auto to_whole = hn::Set(d, 0x1.8p52);  // puts the nearest integer into the last bits
  const auto shifted = hn::Add(hn::Mul(x, hn::Set(d, 1.4426950408889634)), to_whole);
  const auto k = hn::Sub(shifted, to_whole);
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(d, 0x1.62e42feep-1))),
                         hn::Mul(k, hn::Set(d, 0x1.a39ef35793c76p-33)));
  constexpr double kInverse[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                 1.0 / 40320,     1.0 / 5040,     1.0 / 720,     1.0 / 120,
                                 1.0 / 24,        1.0 / 6,        1.0 / 2};
  auto series = hn::Set(d, 1.0 / 6227020800);
  for (const double c : kInverse) series = hn::Add(hn::Mul(series, r), hn::Set(d, c));
  const auto near_one = hn::Add(hn::Set(d, 1.0), hn::Add(r, hn::Mul(hn::Mul(r, r), series)));
  const auto power = hn::ShiftLeft<52>(hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, 1023)));
  return hn::Mul(near_one, hn::BitCast(d, power));
}

template <class D>
HWY_INLINE void Some(D d, const float* values, double zero, double slope, double* out) {
  const hn::Rebind<float, D> narrow;
  const auto x = hn::Mul(hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, values)), hn::Set(d, zero)),
                         hn::Set(d, slope));
  const auto kept = hn::Min(hn::Max(x, hn::Set(d, -50.0)), hn::Set(d, 50.0));
  hn::StoreU(Exponential(d, kept), d, out);
}

void ScaledExponentials(const float* values, std::size_t n, float zero, double slope, double* out) {
  const auto own = static_cast<double>(zero);
  const std::size_t width = hn::Lanes(F64());
  std::size_t k = 0;
  for (; k + width <= n; k += width) Some(F64(), values + k, own, slope, out + k);
  for (; k < n; ++k) Some(hn::CappedTag<double, 1>(), values + k, own, slope, out + k);
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {

HWY_EXPORT(ScaledExponentials);

void scaled_exponentials(const float* values, std::size_t n, float zero, double slope,
                         double* out) {
  HWY_DYNAMIC_DISPATCH(ScaledExponentials)(values, n, zero, slope, out);
}

}  // namespace paco::math
#endif  // HWY_ONCE
