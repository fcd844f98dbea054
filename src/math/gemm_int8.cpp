#include "math/gemm_int8.hpp"

#include <hwy/targets.h>

#include <algorithm>
#include <cstring>

#if HWY_ARCH_X86_64
#include <immintrin.h>
#define PACO_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#endif

namespace paco::math {

namespace {

constexpr std::size_t kGroup = 4;  // consecutive bytes of one row in a panel

}  // namespace

void store_in_panel(const std::int8_t* bytes, std::size_t n, std::size_t row,
                    std::uint8_t* panels) {
  std::uint8_t* place =
      panels + row / kPanelRows * kPanelRows * byte_stride(n) + row % kPanelRows * kGroup;
  for (std::size_t j = 0; j < byte_stride(n); j += kGroup, place += kPanelRows * kGroup) {
    std::uint32_t group;
    std::memcpy(&group, bytes + j, kGroup);
    group ^= 0x80808080u;  // adds 128 to each byte
    std::memcpy(place, &group, kGroup);
  }
}

namespace plain {

void multiply_bytes(const ByteSamples& samples, const ByteRows& rows, std::size_t n, float* out,
                    std::size_t stride) {
  for (std::size_t i = 0; i < samples.count; ++i) {
    const std::int8_t* sample = samples.bytes + i * byte_stride(n);
    for (std::size_t k = 0; k < rows.count; ++k) {
      const std::uint8_t* row =
          rows.panels + k / kPanelRows * kPanelRows * byte_stride(n) + k % kPanelRows * kGroup;
      auto sum = static_cast<std::uint32_t>(samples.starts[i]);  // unsigned: may wrap around
      for (std::size_t j = 0; j < byte_stride(n); ++j) {
        sum += static_cast<std::uint32_t>(sample[j] *
                                          row[j / kGroup * kPanelRows * kGroup + j % kGroup]);
      }
      out[i * stride + k] =
          static_cast<float>(static_cast<std::int32_t>(sum)) * samples.scales[i] * rows.scales[k];
    }
  }
}

}  // namespace plain

#if HWY_ARCH_X86_64
namespace {

bool processor_has_vnni() {
  static const bool has = __builtin_cpu_supports("avx512vnni") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512f");
  return has;
}

// Intermediate sums may wrap around modulo 2^32; only the final sum must fit: n * 127^2.
constexpr std::size_t kLongest = std::size_t{1} << 17;

constexpr std::size_t kTile = 8;  // samples whose sums are held in registers together

PACO_VNNI inline __m512i four_bytes(const std::int8_t* bytes) {
  std::int32_t group;
  std::memcpy(&group, bytes, kGroup);
  return _mm512_set1_epi32(group);
}

PACO_VNNI inline void store_scaled(__m512i sums, float sample_scale, const float* row_scales,
                                   __mmask16 rows, float* out) {
  const __m512 scaled =
      _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(rows, sums), _mm512_set1_ps(sample_scale));
  _mm512_mask_storeu_ps(out, rows, _mm512_mul_ps(scaled, _mm512_maskz_loadu_ps(rows, row_scales)));
}

// Eight samples with one panel. A missing sample is replaced by the last existing one.
PACO_VNNI void multiply_tile(const ByteSamples& samples, std::size_t first,
                             const std::uint8_t* panel, const float* row_scales, __mmask16 rows,
                             std::size_t bytes, float* out, std::size_t stride) {
  std::size_t index[kTile];
  const std::int8_t* sample[kTile];
  __m512i sums[kTile];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kTile; ++r) {
    index[r] = std::min(first + r, samples.count - 1);
    sample[r] = samples.bytes + index[r] * bytes;
    sums[r] = _mm512_set1_epi32(samples.starts[index[r]]);
  }
  for (std::size_t j = 0; j < bytes; j += kGroup) {
    const __m512i column = _mm512_loadu_si512(panel + j * kPanelRows);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kTile; ++r) {
      sums[r] = _mm512_dpbusd_epi32(sums[r], column, four_bytes(sample[r] + j));
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kTile; ++r) {
    store_scaled(sums[r], samples.scales[index[r]], row_scales, rows, out + index[r] * stride);
  }
}

// One sample with one panel. It uses four sums, because with a single sum each multiplication would
// wait for the previous one.
PACO_VNNI void multiply_single(const ByteSamples& samples, std::size_t i, const std::uint8_t* panel,
                               const float* row_scales, __mmask16 rows, std::size_t bytes,
                               float* out, std::size_t stride) {
  constexpr std::size_t kChains = 4;
  const std::int8_t* sample = samples.bytes + i * bytes;
  __m512i sums[kChains];
  sums[0] = _mm512_set1_epi32(samples.starts[i]);
#pragma GCC unroll 4
  for (std::size_t c = 1; c < kChains; ++c) sums[c] = _mm512_setzero_si512();
  std::size_t j = 0;
  for (; j + kChains * kGroup <= bytes; j += kChains * kGroup) {
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kChains; ++c) {
      const std::size_t at = j + c * kGroup;
      sums[c] = _mm512_dpbusd_epi32(sums[c], _mm512_loadu_si512(panel + at * kPanelRows),
                                    four_bytes(sample + at));
    }
  }
  for (; j < bytes; j += kGroup) {
    sums[0] = _mm512_dpbusd_epi32(sums[0], _mm512_loadu_si512(panel + j * kPanelRows),
                                  four_bytes(sample + j));
  }
  const __m512i sum =
      _mm512_add_epi32(_mm512_add_epi32(sums[0], sums[1]), _mm512_add_epi32(sums[2], sums[3]));
  store_scaled(sum, samples.scales[i], row_scales, rows, out + i * stride);
}

void multiply_with_vnni(const ByteSamples& samples, const ByteRows& rows, std::size_t n, float* out,
                        std::size_t stride) {
  constexpr std::size_t kWorthATile = 4;  // fewer are faster one by one
  const std::size_t bytes = byte_stride(n);
  for (std::size_t k = 0; k < rows.count; k += kPanelRows) {
    const std::uint8_t* panel = rows.panels + k * bytes;
    const std::size_t there = std::min(kPanelRows, rows.count - k);
    const auto mask = static_cast<__mmask16>((1u << there) - 1);
    std::size_t i = 0;
    for (; i + kWorthATile <= samples.count; i += kTile) {
      multiply_tile(samples, i, panel, rows.scales + k, mask, bytes, out + k, stride);
    }
    for (; i < samples.count; ++i) {
      multiply_single(samples, i, panel, rows.scales + k, mask, bytes, out + k, stride);
    }
  }
}

}  // namespace

// Highway's mask is checked too, so that a test that limits the kernels to an older instruction set
// also disables this one. The check is slow, and multiply_bytes does not need it.
bool has_fast_gemm_int8(std::size_t n) {
  return processor_has_vnni() && n <= kLongest && (hwy::SupportedTargets() & HWY_AVX3) != 0;
}

void multiply_bytes(const ByteSamples& samples, const ByteRows& rows, std::size_t n, float* out,
                    std::size_t stride) {
  if (processor_has_vnni()) return multiply_with_vnni(samples, rows, n, out, stride);
  plain::multiply_bytes(samples, rows, n, out, stride);
}
#else
bool has_fast_gemm_int8(std::size_t) { return false; }

void multiply_bytes(const ByteSamples& samples, const ByteRows& rows, std::size_t n, float* out,
                    std::size_t stride) {
  plain::multiply_bytes(samples, rows, n, out, stride);
}
#endif

}  // namespace paco::math
