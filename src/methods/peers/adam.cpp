// The steps of Adam. This file is compiled once per instruction set by Highway's foreach_target;
// each operation rounds as IEEE 754 says, so that all of them give the same bits.
#include "methods/peers/network.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "methods/peers/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace paco::methods {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE void Some(D d, float pace, float correct, float* HWY_RESTRICT value,
                     float* HWY_RESTRICT gradient, float* HWY_RESTRICT first,
                     float* HWY_RESTRICT second) {
  const auto g = hn::LoadU(d, gradient);
  const auto mean =
      hn::Add(hn::Mul(hn::Set(d, 0.9f), hn::LoadU(d, first)), hn::Mul(hn::Set(d, 0.1f), g));
  const auto spread = hn::Add(hn::Mul(hn::Set(d, 0.999f), hn::LoadU(d, second)),
                              hn::Mul(hn::Mul(hn::Set(d, 0.001f), g), g));
  const auto deviation = hn::Add(hn::Sqrt(hn::Mul(spread, hn::Set(d, correct))), hn::Set(d, 1e-8f));
  const auto step = hn::Div(hn::Mul(hn::Set(d, pace), mean), deviation);
  hn::StoreU(mean, d, first);
  hn::StoreU(spread, d, second);
  hn::StoreU(hn::Sub(hn::LoadU(d, value), step), d, value);
  hn::StoreU(hn::Zero(d), d, gradient);
}

void AdamStep(std::size_t n, float pace, float correct, float* value, float* gradient, float* first,
              float* second) {
  const hn::ScalableTag<float> wide;
  const hn::CappedTag<float, 1> one;
  std::size_t i = 0;
  for (; i + hn::Lanes(wide) <= n; i += hn::Lanes(wide))
    Some(wide, pace, correct, value + i, gradient + i, first + i, second + i);
  for (; i < n; ++i) Some(one, pace, correct, value + i, gradient + i, first + i, second + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::methods
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::methods {

HWY_EXPORT(AdamStep);

void Adam::step(double rate) {
  constexpr double kFirst = 0.9, kSecond = 0.999;
  first_left_ *= kFirst;
  second_left_ *= kSecond;
  const auto pace = static_cast<float>(rate / (1 - first_left_));
  const auto correct = static_cast<float>(1 / (1 - second_left_));
  for (HeadParameter* p : parameters_) {
    HWY_DYNAMIC_DISPATCH(AdamStep)
    (p->first.size(), pace, correct, p->value.data(), p->gradient.data(), p->first.data(),
     p->second.data());
  }
}

}  // namespace paco::methods
#endif  // HWY_ONCE
