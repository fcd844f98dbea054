#include "embed/cpu/reduced.hpp"

#include <fmt/format.h>
#include <hwy/detect_compiler_arch.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

#if HWY_ARCH_X86_64
#include <immintrin.h>
#define PACO_BF16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define PACO_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#endif

namespace paco::embed {
namespace {

constexpr std::size_t kGroup = 4;  // bytes of one row that are multiplied by one instruction

// To the nearest bfloat16, ties to even.
std::uint16_t round_to_bfloat16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

std::string cpu_precision_name(CpuPrecision precision) {
  return precision == CpuPrecision::float32    ? "float32"
         : precision == CpuPrecision::bfloat16 ? "bfloat16"
                                               : "int8";
}

Result<CpuPrecision> parse_cpu_precision(const std::string& text) {
  for (const CpuPrecision precision :
       {CpuPrecision::float32, CpuPrecision::bfloat16, CpuPrecision::int8}) {
    if (text != cpu_precision_name(precision)) continue;
    if (processor_has(precision)) return precision;
    return Error{ErrorCode::unsupported,
                 fmt::format("this processor has no fast products in {}", text),
                 "use --precision float32; bfloat16 needs AVX512-BF16, int8 AVX512-VNNI"};
  }
  return Error{ErrorCode::bad_argument, fmt::format("there is no precision \"{}\"", text),
               "use auto, float32, bfloat16 or int8"};
}

ReducedWeights::ReducedWeights(const float* weights, std::size_t outputs, std::size_t inputs,
                               CpuPrecision precision)
    : inputs_(inputs), precision_(precision) {
  assert(precision != CpuPrecision::float32 && processor_has(precision));
  const std::size_t number = precision == CpuPrecision::bfloat16 ? 2 : 1;
  row_bytes_ = (inputs * number + kGroup - 1) / kGroup * kGroup;
  const std::size_t filled = (outputs + kPanel - 1) / kPanel * kPanel;
  panels_.resize(filled * row_bytes_);
  scale_.resize(filled);
  total_.resize(filled);
  std::vector<std::uint8_t> row(row_bytes_);
  for (std::size_t j = 0; j < outputs; ++j) {
    const float* from = weights + j * inputs;
    if (precision == CpuPrecision::bfloat16) {
      for (std::size_t k = 0; k < inputs; ++k) {
        const std::uint16_t rounded = round_to_bfloat16(from[k]);
        std::memcpy(row.data() + 2 * k, &rounded, 2);
      }
    } else {
      float largest = 0;
      for (std::size_t k = 0; k < inputs; ++k) largest = std::max(largest, std::fabs(from[k]));
      scale_[j] = largest / 127;
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < inputs; ++k) {
        const auto whole = static_cast<std::int8_t>(
            largest > 0 ? std::lround(static_cast<double>(from[k]) / largest * 127) : 0);
        row[k] = static_cast<std::uint8_t>(whole);
        sum += whole;
      }
      total_[j] = scale_[j] * static_cast<float>(sum);
    }
    std::uint8_t* to = panels_.data() + j / kPanel * kPanel * row_bytes_ + j % kPanel * kGroup;
    for (std::size_t k = 0; k < row_bytes_; k += kGroup, to += kPanel * kGroup)
      std::memcpy(to, row.data() + k, kGroup);
  }
}

#if HWY_ARCH_X86_64
namespace {

// GCC 12 reports uninitialised values for the unmasked forms of some instructions. With all lanes
// selected, the masked forms do the same.
constexpr __mmask16 kAll = 0xffff;

inline __mmask16 lanes_there(std::size_t count) {
  return static_cast<__mmask16>((1u << std::min<std::size_t>(16, count)) - 1);
}

PACO_BF16 inline void bfloat16_row(const float* x, std::size_t count, std::uint8_t* out) {
  for (std::size_t k = 0; k < count; k += 16) {
    const __mmask16 there = lanes_there(count - k);
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(there, x + k));
    __m256i bits;
    std::memcpy(&bits, &rounded, sizeof bits);
    _mm256_mask_storeu_epi16(out + 2 * k, there, bits);
  }
}

PACO_VNNI inline void byte_row(const float* x, std::size_t count, std::uint8_t* out, float& scale,
                               float& offset) {
  __m512 low = _mm512_set1_ps(x[0]), high = low;
  for (std::size_t k = 0; k < count; k += 16) {
    const __m512 value = _mm512_mask_loadu_ps(low, lanes_there(count - k), x + k);
    low = _mm512_maskz_min_ps(kAll, low, value);
    high = _mm512_maskz_max_ps(kAll, high, value);
  }
  alignas(64) float lows[16], highs[16];
  _mm512_store_ps(lows, low);
  _mm512_store_ps(highs, high);
  offset = *std::min_element(lows, lows + 16);
  scale = (*std::max_element(highs, highs + 16) - offset) / 255;
  const __m512 factor = _mm512_set1_ps(scale > 0 ? 1 / scale : 0);
  const __m512 start = _mm512_set1_ps(offset);
  for (std::size_t k = 0; k < count; k += 16) {
    const __mmask16 there = lanes_there(count - k);
    const __m512 value = _mm512_mask_loadu_ps(start, there, x + k);
    const __m512i whole =
        _mm512_maskz_cvtps_epi32(kAll, _mm512_mul_ps(_mm512_sub_ps(value, start), factor));
    _mm512_mask_cvtusepi32_storeu_epi8(out + k, there, whole);
  }
}

PACO_BF16 inline __m512bh as_pairs(__m512i bits) {
  __m512bh pairs;
  std::memcpy(&pairs, &bits, sizeof pairs);
  return pairs;
}

inline std::int32_t group_at(const std::uint8_t* bytes) {
  std::int32_t group;
  std::memcpy(&group, bytes, kGroup);
  return group;
}

template <std::size_t Rows>
PACO_BF16 void bfloat16_tile(const std::uint8_t* x, std::size_t row_bytes,
                             const std::uint8_t* panel, float* sums) {
  __m512 left[Rows], right[Rows];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r) left[r] = right[r] = _mm512_setzero_ps();
  for (std::size_t k = 0; k < row_bytes; k += kGroup, panel += 128) {
    const __m512bh b0 = as_pairs(_mm512_loadu_si512(panel));
    const __m512bh b1 = as_pairs(_mm512_loadu_si512(panel + 64));
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r) {
      const __m512bh a = as_pairs(_mm512_set1_epi32(group_at(x + r * row_bytes + k)));
      left[r] = _mm512_dpbf16_ps(left[r], a, b0);
      right[r] = _mm512_dpbf16_ps(right[r], a, b1);
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r) {
    _mm512_store_ps(sums + r * 32, left[r]);
    _mm512_store_ps(sums + r * 32 + 16, right[r]);
  }
}

// _mm512_dpbusd_epi32, written so that GCC 12 does not copy the sums in every step.
PACO_VNNI inline void add_gemm_int8(__m512i& sums, __m512i bytes, __m512i weights) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(bytes), "v"(weights));
}

struct ByteScales {
  const float *x_scale, *x_offset;  // of the rows
  const float *scale, *total;       // of the outputs
};

template <std::size_t Rows>
PACO_VNNI void byte_tile(const std::uint8_t* x, std::size_t row_bytes, const std::uint8_t* panel,
                         const ByteScales& scales, float* sums) {
  __m512i left[Rows], right[Rows];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r) left[r] = right[r] = _mm512_setzero_si512();
  for (std::size_t k = 0; k < row_bytes; k += kGroup, panel += 128) {
    const __m512i b0 = _mm512_loadu_si512(panel), b1 = _mm512_loadu_si512(panel + 64);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r) {
      const __m512i a = _mm512_set1_epi32(group_at(x + r * row_bytes + k));
      add_gemm_int8(left[r], a, b0);
      add_gemm_int8(right[r], a, b1);
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < Rows; ++r) {
    const __m512 x_scale = _mm512_set1_ps(scales.x_scale[r]);
    const __m512 x_offset = _mm512_set1_ps(scales.x_offset[r]);
    const __m512i whole[2] = {left[r], right[r]};
    for (std::size_t half = 0; half < 2; ++half) {
      const __m512 scale = _mm512_mul_ps(x_scale, _mm512_loadu_ps(scales.scale + 16 * half));
      const __m512 offset = _mm512_mul_ps(x_offset, _mm512_loadu_ps(scales.total + 16 * half));
      _mm512_store_ps(sums + r * 32 + 16 * half,
                      _mm512_fmadd_ps(_mm512_maskz_cvtepi32_ps(kAll, whole[half]), scale, offset));
    }
  }
}

// Calls body with the number of rows, 1 to kRows, as a constant.
template <std::size_t Rows = ReducedWeights::kRows, class Body>
void with_rows(std::size_t rows, const Body& body) {
  if (rows == Rows) return body(std::integral_constant<std::size_t, Rows>());
  if constexpr (Rows > 1) with_rows<Rows - 1>(rows, body);
}

}  // namespace

bool processor_has(CpuPrecision precision) {
  static const bool wide = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  static const bool pairs = wide && __builtin_cpu_supports("avx512bf16");
  static const bool bytes = wide && __builtin_cpu_supports("avx512vnni");
  return precision == CpuPrecision::float32 ||
         (precision == CpuPrecision::bfloat16 ? pairs : bytes);
}

void ReducedWeights::round_rows(const float* x, std::size_t rows, std::size_t stride,
                                RoundedRows& rounded) const {
  rounded.bytes.assign(rows * row_bytes_, 0);
  rounded.scale.resize(rows);
  rounded.offset.resize(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    std::uint8_t* to = rounded.bytes.data() + r * row_bytes_;
    if (precision_ == CpuPrecision::bfloat16)
      bfloat16_row(x + r * stride, inputs_, to);
    else
      byte_row(x + r * stride, inputs_, to, rounded.scale[r], rounded.offset[r]);
  }
}

void ReducedWeights::multiply(const RoundedRows& x, std::size_t first, std::size_t rows,
                              std::size_t panel, float* sums) const {
  const std::uint8_t* from = x.bytes.data() + first * row_bytes_;
  const std::uint8_t* weights = panels_.data() + panel * kPanel * row_bytes_;
  const ByteScales scales{x.scale.data() + first, x.offset.data() + first,
                          scale_.data() + panel * kPanel, total_.data() + panel * kPanel};
  with_rows(rows, [&](auto count) {
    if (precision_ == CpuPrecision::bfloat16)
      bfloat16_tile<count()>(from, row_bytes_, weights, sums);
    else
      byte_tile<count()>(from, row_bytes_, weights, scales, sums);
  });
}
#else
bool processor_has(CpuPrecision precision) { return precision == CpuPrecision::float32; }

void ReducedWeights::round_rows(const float*, std::size_t, std::size_t, RoundedRows&) const {
  assert(false);  // weights of this kind are never constructed here
}

void ReducedWeights::multiply(const RoundedRows&, std::size_t, std::size_t, std::size_t,
                              float*) const {
  assert(false);
}
#endif

}  // namespace paco::embed
