// See prefilter_two.hpp. This file is compiled once per instruction set by Highway's
// foreach_target.
#include "math/prefilter_two.hpp"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/prefilter_two.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/prefilter_kernels_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = hn::MaxLanes(F32());
constexpr float kLowest = -std::numeric_limits<float>::infinity();

// The two largest lower bounds of every lane.
struct Largest {
  hn::Vec<F32> first, second;

  HWY_INLINE void see(hn::Vec<F32> lower) {
    second = hn::Max(second, hn::Min(first, lower));
    first = hn::Max(first, lower);
  }
};

// Upper bounds of a list, whole vectors of them; lanes behind the last element are minus infinity.
HWY_INLINE void bound(const PrefilterScores& s, float* HWY_RESTRICT uppers, Largest& largest) {
  const F32 d;
  const auto lowest = hn::Set(d, kLowest);
  if (s.count < kLanes) {
    HWY_ALIGN float lowers[kLanes];
    std::fill_n(lowers, kLanes, kLowest);
    std::fill_n(uppers, s.count > 0 ? kLanes : 0, kLowest);
    for (std::size_t i = 0; i < s.count; ++i) {
      float value, error;
      screened_one(s, i, value, error);
      lowers[i] = value - error;
      uppers[i] = value + error;
    }
    return largest.see(hn::Load(d, lowers));
  }
  const std::size_t whole = s.count / kLanes * kLanes;
  if (whole < s.count) hn::StoreU(lowest, d, uppers + whole);
  for_vectors(s, 0, s.count,
              [&](const ValueAndError& x, std::size_t i, std::size_t left_out) HWY_ATTR {
                hn::StoreU(hn::Add(x.value, x.error), d, uppers + i);
                auto lower = hn::Sub(x.value, x.error);
                if (left_out > 0) lower = hn::IfThenElse(hn::FirstN(d, left_out), lowest, lower);
                largest.see(lower);
              });
}

HWY_INLINE void collect(const float* HWY_RESTRICT uppers, std::size_t count, hn::Vec<F32> bar,
                        std::size_t first_index, std::vector<Candidate>& candidates) {
  const F32 d;
  const auto lowest = hn::Set(d, kLowest);
  for (std::size_t i = 0; i < count; i += kLanes) {
    const auto upper = hn::LoadU(d, uppers + i);
    const auto reaches = hn::And(hn::Ge(upper, bar), hn::Gt(upper, lowest));
    if (!hn::AllFalse(d, reaches)) push_lanes(reaches, upper, first_index + i, 0, candidates);
  }
}

void ScreenTwo(const PrefilterScores& a, const PrefilterScores& b,
               std::vector<Candidate>& candidates) {
  const F32 d;
  const std::size_t a_room = (a.count + kLanes - 1) / kLanes * kLanes;
  thread_local std::vector<float> uppers;
  uppers.resize(std::max(uppers.size(), a_room + b.count + kLanes));
  const auto lowest = hn::Set(d, kLowest);
  Largest largest{lowest, lowest};
  bound(a, uppers.data(), largest);
  const auto best_of_a = hn::MaxOfLanes(d, largest.first);
  bound(b, uppers.data() + a_room, largest);
  // Removes the largest value. If several lanes hold it, it is removed from all of them: the bar is
  // then lower than possible, but still correct.
  const auto taken = hn::Eq(largest.first, hn::MaxOfLanes(d, largest.first));
  const auto bar = hn::MaxOfLanes(d, hn::IfThenElse(taken, largest.second, largest.first));
  candidates.clear();
  collect(uppers.data(), a.count, hn::Min(bar, best_of_a), 0, candidates);
  collect(uppers.data() + a_room, b.count, bar, a.count, candidates);
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {

HWY_EXPORT(ScreenTwo);

void prefilter_two(const PrefilterScores& a, const PrefilterScores& b,
                   std::vector<Candidate>& candidates) {
  HWY_DYNAMIC_DISPATCH(ScreenTwo)(a, b, candidates);
}

}  // namespace paco::math
#endif  // HWY_ONCE
