// See norms.hpp. This file is compiled once per instruction set by Highway's foreach_target.
#include "embed/cpu/norms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "embed/cpu/norms.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace paco::embed {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls each(d, i) for whole registers of numbers from i on, and at the end for single numbers.
template <class Each>
HWY_INLINE void OverNumbers(std::size_t count, const Each& each) {
  const hn::ScalableTag<float> d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) each(d, i);
  for (; i < count; ++i) each(hn::CappedTag<float, 1>(), i);
}

// The sum of term(d, i) over a row: whole registers first, then the rest.
template <class Term>
HWY_INLINE float SumOver(std::size_t count, const Term& term) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  auto sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) sum = hn::Add(sum, term(d, i));
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < count; ++i) total += hn::GetLane(term(one, i));
  return total;
}

void LayerNormRow(const float* x, std::size_t n, float epsilon, NormWeights weights, float* out) {
  const float mean =
      SumOver(n, [x](auto d, std::size_t i) HWY_ATTR { return hn::LoadU(d, x + i); }) /
      static_cast<float>(n);
  const float variance = SumOver(n,
                                 [x, mean](auto d, std::size_t i) HWY_ATTR {
                                   const auto off = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
                                   return hn::Mul(off, off);
                                 }) /
                         static_cast<float>(n);
  const float scale = 1.0f / std::sqrt(variance + epsilon);
  OverNumbers(n, [=](auto d, std::size_t i) HWY_ATTR {
    const auto unit = hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean)), hn::Set(d, scale));
    hn::StoreU(hn::MulAdd(unit, hn::LoadU(d, weights.gain + i), hn::LoadU(d, weights.shift + i)), d,
               out + i);
  });
}

// For each channel, the sum over all pixels: of x if `mean` is null, otherwise of (x - mean)^2.
void ChannelSums(const float* x, std::size_t pixels, std::size_t channels, const float* mean,
                 float* sums) {
  OverNumbers(channels, [=](auto d, std::size_t c) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (std::size_t p = 0; p < pixels; ++p) {
      const auto value = hn::LoadU(d, x + p * channels + c);
      if (mean == nullptr) {
        sum = hn::Add(sum, value);
      } else {
        const auto off = hn::Sub(value, hn::LoadU(d, mean + c));
        sum = hn::MulAdd(off, off, sum);
      }
    }
    hn::StoreU(sum, d, sums + c);
  });
}

// out = max(0, x * scale + shift), for each channel.
void ScaleRelu(const float* x, std::size_t pixels, std::size_t channels, const float* scale,
               const float* shift, float* out) {
  for (std::size_t p = 0; p < pixels; ++p) {
    const float* from = x + p * channels;
    float* to = out + p * channels;
    OverNumbers(channels, [=](auto d, std::size_t c) HWY_ATTR {
      const auto value =
          hn::MulAdd(hn::LoadU(d, from + c), hn::LoadU(d, scale + c), hn::LoadU(d, shift + c));
      hn::StoreU(hn::Max(value, hn::Zero(d)), d, to + c);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::embed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::embed {

HWY_EXPORT(LayerNormRow);
HWY_EXPORT(ChannelSums);
HWY_EXPORT(ScaleRelu);

void layer_norm(const float* x, std::size_t rows, std::size_t x_stride, std::size_t columns,
                float epsilon, NormWeights weights, float* out, std::size_t out_stride) {
  for (std::size_t r = 0; r < rows; ++r) {
    HWY_DYNAMIC_DISPATCH(LayerNormRow)
    (x + r * x_stride, columns, epsilon, weights, out + r * out_stride);
  }
}

void group_norm_relu(const float* x, std::size_t pixels, std::size_t channels, std::size_t groups,
                     float epsilon, NormWeights weights, float* out) {
  const std::size_t share = channels / groups;
  const auto numbers = static_cast<double>(share * pixels);
  thread_local std::vector<float> memory;
  memory.resize(std::max(memory.size(), 3 * channels));
  float *sums = memory.data(), *mean = sums + channels, *scale = mean + channels;
  // The mean of every group, written to each of its channels.
  const auto spread = [&](float* to) {
    for (std::size_t g = 0; g < groups; ++g) {
      double total = 0;
      for (std::size_t c = g * share; c < (g + 1) * share; ++c) total += sums[c];
      std::fill_n(to + g * share, share, static_cast<float>(total / numbers));
    }
  };
  HWY_DYNAMIC_DISPATCH(ChannelSums)(x, pixels, channels, nullptr, sums);
  spread(mean);
  HWY_DYNAMIC_DISPATCH(ChannelSums)(x, pixels, channels, mean, sums);
  spread(scale);
  float* shift = sums;  // no longer needed
  for (std::size_t c = 0; c < channels; ++c) {
    scale[c] = weights.gain[c] / std::sqrt(scale[c] + epsilon);
    shift[c] = weights.shift[c] - mean[c] * scale[c];
  }
  HWY_DYNAMIC_DISPATCH(ScaleRelu)(x, pixels, channels, scale, shift, out);
}

}  // namespace paco::embed
#endif  // HWY_ONCE
