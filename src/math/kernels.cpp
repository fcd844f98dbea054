// See kernels.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "math/kernels.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "math/plain.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "math/partial_sums_inl.hpp"
#include "math/prefilter_kernels_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class A, class B>
HWY_INLINE double DotImpl(const A* a, const B* b, std::size_t n) {
  PartialSums partial;
  std::size_t i = 0;
  for (; i + plain::kPartialSums <= n; i += plain::kPartialSums) {
    for (std::size_t r = 0; r < kRegisters; ++r) {
      const std::size_t at = i + r * kWidth;
      partial.sums[r] = hn::Add(partial.sums[r], hn::Mul(load(a + at), load(b + at)));
    }
  }
  return partial.finish(
      i, n, [&](std::size_t j) { return static_cast<double>(a[j]) * static_cast<double>(b[j]); });
}

double DotFF(const float* a, const float* b, std::size_t n) { return DotImpl(a, b, n); }
double DotDF(const double* a, const float* b, std::size_t n) { return DotImpl(a, b, n); }
double DotDD(const double* a, const double* b, std::size_t n) { return DotImpl(a, b, n); }

double Accumulate(double* sum, const float* addend, std::size_t n) {
  PartialSums partial;
  std::size_t i = 0;
  for (; i + plain::kPartialSums <= n; i += plain::kPartialSums) {
    for (std::size_t r = 0; r < kRegisters; ++r) {
      const std::size_t at = i + r * kWidth;
      const VecF64 total = hn::Add(load(sum + at), load(addend + at));
      hn::StoreU(total, F64(), sum + at);
      partial.sums[r] = hn::Add(partial.sums[r], hn::Mul(total, total));
    }
  }
  return partial.finish(i, n, [&](std::size_t j) {
    sum[j] += static_cast<double>(addend[j]);
    return sum[j] * sum[j];
  });
}

void ToFloat32(const double* numbers, float* rounded, std::size_t n) {
  std::size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    hn::StoreU(hn::DemoteTo(HalfF32(), load(numbers + i)), HalfF32(), rounded + i);
  }
  for (; i < n; ++i) rounded[i] = static_cast<float>(numbers[i]);
}

// Every number becomes the nearest multiple of the scale, so each loses at most half a scale.
RoundedToBytes RoundToBytes(const float* row, std::size_t n, std::int8_t* multiples) {
  const F32 d;
  const hn::RebindToSigned<F32> whole;
  const hn::Rebind<std::int8_t, F32> byte;
  const std::size_t width = hn::Lanes(d);
  const std::size_t vectors = n / width * width;
  auto largest_of_lanes = hn::Zero(d);
  for (std::size_t i = 0; i < vectors; i += width) {
    largest_of_lanes = hn::Max(largest_of_lanes, hn::Abs(hn::LoadU(d, row + i)));
  }
  float largest = hn::GetLane(hn::MaxOfLanes(d, largest_of_lanes));
  for (std::size_t i = vectors; i < n; ++i) largest = std::max(largest, std::abs(row[i]));
  // A row so small that 1 / scale overflows becomes all zeros.
  constexpr float kSmallest = 1e-30f;
  if (!(largest >= kSmallest)) {
    std::fill_n(multiples, n, std::int8_t{0});
    return {0, 2 * kSmallest * std::sqrt(static_cast<float>(n)), 0};
  }

  const float inverse = 127 / largest;
  const auto inverses = hn::Set(d, inverse);
  auto squares = hn::Zero(d);
  auto sums = hn::Zero(whole);
  for (std::size_t i = 0; i < vectors; i += width) {
    const auto x = hn::LoadU(d, row + i);
    const auto multiple = hn::NearestInt(hn::Mul(x, inverses));
    const auto lost = hn::MulSub(x, inverses, hn::ConvertTo(d, multiple));
    squares = hn::MulAdd(lost, lost, squares);
    sums = hn::Add(sums, multiple);
    hn::StoreU(hn::DemoteTo(byte, multiple), byte, multiples + i);
  }
  float squared = hn::GetLane(hn::SumOfLanes(d, squares));
  std::int32_t sum = hn::GetLane(hn::SumOfLanes(whole, sums));
  for (std::size_t i = vectors; i < n; ++i) {
    const float multiple = std::nearbyint(row[i] * inverse);
    const float lost = row[i] * inverse - multiple;
    squared += lost * lost;
    sum += static_cast<std::int32_t>(multiple);
    multiples[i] = static_cast<std::int8_t>(multiple);
  }
  // In units of the scale, every `lost` has an error of a few roundings of numbers up to 127, and
  // the square root has the rounding errors of the sum.
  const auto count = static_cast<float>(n);
  const float length = std::sqrt(squared) * (1 + count * 0x1p-24f) + 1e-4f * std::sqrt(count);
  const float scale = 1 / inverse;
  return {scale, length * scale, sum};
}

// `z` is room for n doubles: a division is the slow part, and each is made once.
double Standardise(const double* raw, const double* mean, const double* deviation, double* z,
                   float* unit, std::size_t n) {
  PartialSums partial;
  std::size_t i = 0;
  for (; i + plain::kPartialSums <= n; i += plain::kPartialSums) {
    for (std::size_t r = 0; r < kRegisters; ++r) {
      const std::size_t at = i + r * kWidth;
      const VecF64 scaled = hn::Div(hn::Sub(load(raw + at), load(mean + at)), load(deviation + at));
      hn::StoreU(scaled, F64(), z + at);
      partial.sums[r] = hn::Add(partial.sums[r], hn::Mul(scaled, scaled));
    }
  }
  const double squared = partial.finish(i, n, [&](std::size_t k) {
    z[k] = (raw[k] - mean[k]) / deviation[k];
    return z[k] * z[k];
  });
  const double length = std::sqrt(squared);
  const VecF64 lengths = hn::Set(F64(), length);
  for (i = 0; i + kWidth <= n; i += kWidth) {
    hn::StoreU(hn::DemoteTo(HalfF32(), hn::Div(load(z + i), lengths)), HalfF32(), unit + i);
  }
  for (; i < n; ++i) unit[i] = static_cast<float>(z[i] / length);
  return squared;
}

// Four rows at a time with two registers of partial sums each, so that one load of `unit` is used
// for four rows.
void ScreenRows(const float* rows, std::size_t count, const float* unit, std::size_t n,
                float* products) {
  const F32 d;
  const std::size_t width = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const float* row = rows + k * n;
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    std::size_t i = 0;
    for (; i + 2 * width <= n; i += 2 * width) {
      const auto u = hn::LoadU(d, unit + i);
      const auto v = hn::LoadU(d, unit + i + width);
      s0 = hn::MulAdd(hn::LoadU(d, row + i), u, s0);
      s1 = hn::MulAdd(hn::LoadU(d, row + n + i), u, s1);
      s2 = hn::MulAdd(hn::LoadU(d, row + 2 * n + i), u, s2);
      s3 = hn::MulAdd(hn::LoadU(d, row + 3 * n + i), u, s3);
      t0 = hn::MulAdd(hn::LoadU(d, row + i + width), v, t0);
      t1 = hn::MulAdd(hn::LoadU(d, row + n + i + width), v, t1);
      t2 = hn::MulAdd(hn::LoadU(d, row + 2 * n + i + width), v, t2);
      t3 = hn::MulAdd(hn::LoadU(d, row + 3 * n + i + width), v, t3);
    }
    float r0 = hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, t0)));
    float r1 = hn::GetLane(hn::SumOfLanes(d, hn::Add(s1, t1)));
    float r2 = hn::GetLane(hn::SumOfLanes(d, hn::Add(s2, t2)));
    float r3 = hn::GetLane(hn::SumOfLanes(d, hn::Add(s3, t3)));
    for (; i < n; ++i) {
      r0 += row[i] * unit[i];
      r1 += row[n + i] * unit[i];
      r2 += row[2 * n + i] * unit[i];
      r3 += row[3 * n + i] * unit[i];
    }
    products[k] = r0;
    products[k + 1] = r1;
    products[k + 2] = r2;
    products[k + 3] = r3;
  }
  for (; k < count; ++k) {
    const float* row = rows + k * n;
    auto s = hn::Zero(d);
    std::size_t i = 0;
    for (; i + width <= n; i += width)
      s = hn::MulAdd(hn::LoadU(d, row + i), hn::LoadU(d, unit + i), s);
    float r = hn::GetLane(hn::SumOfLanes(d, s));
    for (; i < n; ++i) r += row[i] * unit[i];
    products[k] = r;
  }
}

// Needs at least one whole vector before `to`.
HWY_INLINE void collect_reaching(const PrefilterScores& s, std::size_t from, std::size_t to,
                                 hn::Vec<F32> bar, std::vector<Candidate>& candidates) {
  for_vectors(s, from, to,
              [&](const ValueAndError& x, std::size_t i, std::size_t left_out) HWY_ATTR {
                const auto upper = hn::Add(x.value, x.error);
                const auto reaches = hn::Ge(upper, bar);
                if (hn::AllFalse(F32(), reaches)) return;
                push_lanes(reaches, upper, i, left_out, candidates);
              });
}

// An element can be among the `places` best only if its upper bound is at least the places-th
// largest lower bound. The first pass finds that bound; the second pass skips every stretch whose
// largest upper bound is below it, which are nearly all of them.
void ScreenBest(const PrefilterScores& s, int places, std::vector<Candidate>& candidates) {
  const F32 d;
  const std::size_t width = hn::Lanes(d);
  candidates.clear();
  if (s.count < width) {  // too few to be worth a bar
    for (std::size_t i = 0; i < s.count; ++i) {
      float value, error;
      screened_one(s, i, value, error);
      candidates.push_back({static_cast<std::uint32_t>(i), value + error});
    }
    return;
  }
  const auto lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  auto first = lowest, second = lowest, third = lowest;  // the largest of each lane
  const std::size_t stretch = 16 * width;
  thread_local std::vector<float> tops;
  tops.clear();
  for (std::size_t from = 0; from < s.count; from += stretch) {
    auto top = lowest;
    const std::size_t to = std::min(from + stretch, s.count);
    for_vectors(s, from, to,
                [&](const ValueAndError& x, std::size_t, std::size_t left_out) HWY_ATTR {
                  auto lower = hn::Sub(x.value, x.error);
                  if (left_out > 0) lower = hn::IfThenElse(hn::FirstN(d, left_out), lowest, lower);
                  top = hn::Max(top, hn::Add(x.value, x.error));
                  const auto down = hn::Min(first, lower);
                  first = hn::Max(first, lower);
                  third = hn::Max(third, hn::Min(second, down));
                  second = hn::Max(second, down);
                });
    tops.push_back(hn::GetLane(hn::MaxOfLanes(d, top)));
  }
  // Removes the largest value of all lanes `places` - 1 times. If several lanes hold it, it is
  // removed from all of them: the bar is then lower than possible, but still correct.
  auto bar = hn::MaxOfLanes(d, first);
  for (int place = 1; place < places; ++place) {
    const auto taken = hn::Eq(first, bar);
    first = hn::IfThenElse(taken, second, first);
    second = hn::IfThenElse(taken, third, second);
    bar = hn::MaxOfLanes(d, first);
  }

  const float reached = hn::GetLane(bar);
  for (std::size_t i = 0; i < tops.size(); ++i) {
    if (tops[i] >= reached)
      collect_reaching(s, i * stretch, std::min((i + 1) * stretch, s.count), bar, candidates);
  }
}

void ScreenReaching(const PrefilterScores& s, float bar, std::vector<Candidate>& candidates) {
  candidates.clear();
  if (s.count >= hn::Lanes(F32()))
    return collect_reaching(s, 0, s.count, hn::Set(F32(), bar), candidates);
  for (std::size_t i = 0; i < s.count; ++i) {
    float value, error;
    screened_one(s, i, value, error);
    if (value + error >= bar) candidates.push_back({static_cast<std::uint32_t>(i), value + error});
  }
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {

HWY_EXPORT(DotFF);
HWY_EXPORT(DotDF);
HWY_EXPORT(DotDD);
HWY_EXPORT(Accumulate);
HWY_EXPORT(ToFloat32);
HWY_EXPORT(RoundToBytes);
HWY_EXPORT(Standardise);
HWY_EXPORT(ScreenRows);
HWY_EXPORT(ScreenBest);
HWY_EXPORT(ScreenReaching);
HWY_EXPORT(TargetName);

double dot(const float* a, const float* b, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(DotFF)(a, b, n);
}
double dot(const double* a, const float* b, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(DotDF)(a, b, n);
}
double dot(const double* a, const double* b, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(DotDD)(a, b, n);
}

double accumulate(double* sum, const float* addend, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(Accumulate)(sum, addend, n);
}

void to_float32(const double* numbers, float* rounded, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(ToFloat32)(numbers, rounded, n);
}

RoundedToBytes round_to_bytes(const float* row, std::size_t n, std::int8_t* multiples) {
  return HWY_DYNAMIC_DISPATCH(RoundToBytes)(row, n, multiples);
}

double standardise(const double* raw, const double* mean, const double* deviation, float* unit,
                   std::size_t n) {
  thread_local std::vector<double> z;
  z.resize(std::max(z.size(), n));
  return HWY_DYNAMIC_DISPATCH(Standardise)(raw, mean, deviation, z.data(), unit, n);
}

void screen_rows(const float* rows, std::size_t count, const float* unit, std::size_t n,
                 float* products) {
  HWY_DYNAMIC_DISPATCH(ScreenRows)(rows, count, unit, n, products);
}

void prefilter_best(const PrefilterScores& scores, int places, std::vector<Candidate>& candidates) {
  assert(places >= 1 && places <= 3);
  HWY_DYNAMIC_DISPATCH(ScreenBest)(scores, places, candidates);
}

void screen_reaching(const PrefilterScores& scores, float bar, std::vector<Candidate>& candidates) {
  HWY_DYNAMIC_DISPATCH(ScreenReaching)(scores, bar, candidates);
}

double screen_error(std::size_t n, std::size_t extra) {
  constexpr double unit_roundoff = 0x1p-24;
  // n products and n - 1 sums, the rounding of each stored factor, the length of a float32 unit
  // vector (within 1e-6 of 1), and a few roundings when the result is scaled.
  const double roundings = static_cast<double>(n + extra + 12);
  return roundings * unit_roundoff / (1 - roundings * unit_roundoff) * 1.0001;
}

std::string kernel_target() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

std::vector<std::string> kernel_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets())
    names.emplace_back(hwy::TargetName(target));
  return names;
}

}  // namespace paco::math
#endif  // HWY_ONCE
