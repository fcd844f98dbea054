// Screened values with their errors, a register at a time: what the screening kernels share.
// Included by files that Highway's foreach_target compiles once per instruction set, and by no
// other else; so it has no include guard but one that opens with every instruction set.
#if defined(PACO_LINALG_SCREENED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PACO_LINALG_SCREENED_INL
#undef PACO_LINALG_SCREENED_INL
#else
#define PACO_LINALG_SCREENED_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "math/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;

// One register of screened values and their errors, from index i on.
struct ValueAndError {
  hn::Vec<F32> value;
  hn::Vec<F32> error;
};

HWY_INLINE ValueAndError screened(const PrefilterScores& s, std::size_t i) {
  const F32 d;
  auto value = hn::LoadU(d, s.products + i);
  if (s.scale) value = hn::Mul(value, hn::LoadU(d, s.scale + i));
  auto multiplier = hn::Set(d, s.common);
  if (s.factor) multiplier = hn::Mul(multiplier, hn::LoadU(d, s.factor + i));
  value = hn::Mul(value, multiplier);
  if (s.offset) value = hn::Add(value, hn::LoadU(d, s.offset + i));
  auto error = hn::Set(d, s.constant_error);
  if (s.cosine_error)
    error = hn::MulAdd(hn::LoadU(d, s.cosine_error + i), hn::Set(d, s.stretch), error);
  return {value, hn::MulAdd(error, multiplier, hn::Set(d, s.slack))};
}

// The same for one element.
HWY_INLINE void screened_one(const PrefilterScores& s, std::size_t i, float& value, float& error) {
  value = s.products[i] * (s.scale ? s.scale[i] : 1.0f);
  const float multiplier = s.common * (s.factor ? s.factor[i] : 1.0f);
  value = value * multiplier + (s.offset ? s.offset[i] : 0.0f);
  error = (s.cosine_error ? s.cosine_error[i] * s.stretch : 0.0f) + s.constant_error;
  error = error * multiplier + s.slack;
}

// Vectors of the screened scores `from` .. `to` - 1: body(x, index of lane 0, lanes to leave out).
// The last vector ends with the last element and leaves out the lanes that were there before. Needs
// at least one whole vector before `to`.
template <class Body>
HWY_INLINE void for_vectors(const PrefilterScores& s, std::size_t from, std::size_t to, Body body) {
  const std::size_t width = hn::Lanes(F32());
  std::size_t i = from;
  for (; i + width <= to; i += width) body(screened(s, i), i, 0);
  if (i < to) body(screened(s, to - width), to - width, i + width - to);
}

// Candidates of the lanes that are set; `first` is the index of lane 0.
HWY_INLINE void push_lanes(hn::Mask<F32> lanes, hn::Vec<F32> upper, std::size_t first,
                           std::size_t left_out, std::vector<Candidate>& candidates) {
  const F32 d;
  HWY_ALIGN float uppers[hn::MaxLanes(F32())];
  hn::Store(upper, d, uppers);
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, lanes, reinterpret_cast<std::uint8_t*>(&bits));
  for (bits = bits >> left_out << left_out; bits != 0; bits &= bits - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
    candidates.push_back({static_cast<std::uint32_t>(first + lane), uppers[lane]});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#endif  // per instruction set
