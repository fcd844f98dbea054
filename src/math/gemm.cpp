// See gemm.hpp. This file is compiled once per instruction set by Highway's foreach_target.
//
// The samples are few (a block) and are copied into strips: as many samples as fit two registers,
// stored element by element, so that one load reads one element of each. The rows are many and are
// read in place: one element of several rows at a time, each multiplied with a whole strip.
#include "math/gemm.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/threads.hpp"
#include "math/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/gemm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace paco::math {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Register = hn::Vec<Floats>;
constexpr std::size_t kLanes = hn::MaxLanes(Floats());
constexpr std::size_t kStrip = 2 * kLanes;
// Sums of a tile are held in registers: two for each row. AVX-512 has 32 registers, others 16.
constexpr std::size_t kTile = kLanes >= 16 ? 12 : 6;
constexpr std::size_t kNarrowTile = kTile / 3;

// Products of the first Registers * kLanes samples of a strip with Rows rows. Those of the samples
// from `first` to `last` of the strip are written to out[i * stride + row].
template <std::size_t Registers, std::size_t Rows>
HWY_INLINE void MultiplyTile(const float* strip, const float* rows, std::size_t depth,
                             std::size_t first, std::size_t last, float* out, std::size_t stride) {
  const Floats d;
  Register sums[Rows][Registers];
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t v = 0; v < Registers; ++v) sums[r][v] = hn::Zero(d);
  }
  for (std::size_t j = 0; j < depth; ++j) {
    Register samples[Registers];
    for (std::size_t v = 0; v < Registers; ++v) {
      samples[v] = hn::LoadU(d, strip + j * kStrip + v * kLanes);
    }
    HWY_UNROLL(12)
    for (std::size_t r = 0; r < Rows; ++r) {
      const Register x = hn::Set(d, rows[r * depth + j]);
      for (std::size_t v = 0; v < Registers; ++v) {
        sums[r][v] = hn::MulAdd(samples[v], x, sums[r][v]);
      }
    }
  }
  constexpr std::size_t kWidth = Registers * kLanes;
  std::array<float, Rows * kWidth> written;
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t v = 0; v < Registers; ++v) {
      hn::StoreU(sums[r][v], d, &written[r * kWidth + v * kLanes]);
    }
  }
  for (std::size_t i = first; i < last; ++i) {
    for (std::size_t r = 0; r < Rows; ++r) out[i * stride + r] = written[r * kWidth + i];
  }
}

std::size_t StripSamples() { return kStrip; }

// Strips of all samples: element j of sample i at ((i / kStrip) * depth + j) * kStrip + i % kStrip.
void MakeStrips(const float* samples, std::size_t count, std::size_t depth, float* strips) {
  for (std::size_t begin = 0; begin < count; begin += kStrip) {
    const std::size_t there = std::min(kStrip, count - begin);
    float* strip = strips + begin * depth;
    // Copies a few elements of every sample at a time, so that the data stay in the cache until
    // they are used.
    constexpr std::size_t kStretch = 16;
    for (std::size_t j = 0; j < depth; j += kStretch) {
      const std::size_t end = std::min(j + kStretch, depth);
      for (std::size_t i = 0; i < kStrip; ++i) {
        const float* from = samples + (begin + std::min(i, there - 1)) * depth;
        for (std::size_t at = j; at < end; ++at) strip[at * kStrip + i] = from[at];
      }
    }
  }
}

// Products of `samples` samples in strips, from sample `from` on, with rows.
void MultiplyStrips(const float* strips, std::size_t from, std::size_t samples, const float* rows,
                    std::size_t count, std::size_t depth, float* out, std::size_t stride) {
  std::size_t k = 0;
  const auto tiles = [&]<std::size_t Rows>() {
    for (; k + Rows <= count; k += Rows) {
      for (std::size_t begin = from / kStrip * kStrip; begin < samples; begin += kStrip) {
        const std::size_t first = begin < from ? from - begin : 0;
        const std::size_t last = std::min(kStrip, samples - begin);
        const auto multiply = last > kLanes ? MultiplyTile<2, Rows> : MultiplyTile<1, Rows>;
        multiply(strips + begin * depth, rows + k * depth, depth, first, last,
                 out + begin * stride + k, stride);
      }
    }
  };
  tiles.template operator()<kTile>();
  tiles.template operator()<kNarrowTile>();
  tiles.template operator()<1>();
}

}  // namespace HWY_NAMESPACE
}  // namespace paco::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace paco::math {

HWY_EXPORT(StripSamples);
HWY_EXPORT(MakeStrips);
HWY_EXPORT(MultiplyStrips);

namespace {

// The samples copied into strips, in memory that belongs to this thread and is reused.
const float* strips_of(const float* samples, std::size_t count, std::size_t depth) {
  thread_local std::vector<float> strips;
  const std::size_t width = HWY_DYNAMIC_DISPATCH(StripSamples)();
  strips.resize(std::max(strips.size(), (count + width - 1) / width * width * depth));
  HWY_DYNAMIC_DISPATCH(MakeStrips)(samples, count, depth, strips.data());
  return strips.data();
}

}  // namespace

void multiply_transposed(const float* a, std::size_t m, const float* b, std::size_t n,
                         std::size_t depth, float* out, std::size_t stride,
                         core::ThreadPool& pool) {
  constexpr std::size_t kWorthAStrip = 5;  // fewer are faster one by one
  if (m < kWorthAStrip) {
    for (std::size_t i = 0; i < m; ++i) screen_rows(b, n, a + i * depth, depth, out + i * stride);
    return;
  }
  const float* strips = strips_of(a, m, depth);
  const std::size_t share = (n + pool.threads() - 1) / pool.threads();
  pool.parallel_for(n, std::max<std::size_t>(share, 32), [&](std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(MultiplyStrips)
    (strips, 0, m, b + first * depth, last - first, depth, out + first, stride);
  });
}

void multiply_self(const float* a, std::size_t m, std::size_t depth, float* out) {
  const float* strips = strips_of(a, m, depth);
  constexpr std::size_t kColumns = 12;
  for (std::size_t k = 0; k < m; k += kColumns) {
    HWY_DYNAMIC_DISPATCH(MultiplyStrips)
    (strips, k, m, a + k * depth, std::min(kColumns, m - k), depth, out + k, m);
  }
}

}  // namespace paco::math
#endif  // HWY_ONCE
