// Conversion loops. They have no branch per number, so the compiler vectorises them; half precision
// uses the processor's own instruction where there is one.
#include "io/element.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace paco::io {
namespace {

// How many numbers are converted at a time through a buffer; small enough for the first-level
// cache.
constexpr std::size_t kChunk = 1024;

template <class T, class Out>
void widen(const std::byte* in, std::span<Out> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, in + i * sizeof(T), sizeof(T));
    out[i] = static_cast<Out>(value);
  }
}

template <class Bits>
void swap_bytes(const std::byte* in, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, in + i * sizeof(Bits), sizeof(Bits));
    if constexpr (sizeof(Bits) == 2) bits = __builtin_bswap16(bits);
    if constexpr (sizeof(Bits) == 4) bits = __builtin_bswap32(bits);
    if constexpr (sizeof(Bits) == 8) bits = __builtin_bswap64(bits);
    std::memcpy(out + i * sizeof(Bits), &bits, sizeof(Bits));
  }
}

void swap_elements(std::size_t size, const std::byte* in, std::size_t count, std::byte* out) {
  switch (size) {
    case 2:
      return swap_bytes<std::uint16_t>(in, count, out);
    case 4:
      return swap_bytes<std::uint32_t>(in, count, out);
    case 8:
      return swap_bytes<std::uint64_t>(in, count, out);
    default:
      std::memcpy(out, in, count);
  }
}

// Half precision has the layout of single precision with fewer bits. With the bits moved into
// place, only the exponent's offset is wrong; a multiplication by 2^112 corrects it, including
// subnormal numbers. Infinity and NaN get the maximum exponent.
float half_bits_to_float(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

template <class Out>
void widen_half_plain(const std::byte* in, std::span<Out> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, in + 2 * i, 2);
    out[i] = half_bits_to_float(bits);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) void widen_half_f16c(const std::byte* in,
                                                         std::span<double> out) {
  std::size_t i = 0;
  for (; i + 8 <= out.size(); i += 8) {
    const __m256 eight =
        _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 2 * i)));
    _mm256_storeu_pd(out.data() + i, _mm256_cvtps_pd(_mm256_castps256_ps128(eight)));
    _mm256_storeu_pd(out.data() + i + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(eight, 1)));
  }
  widen_half_plain(in + 2 * i, out.subspan(i));
}

__attribute__((target("avx,f16c"))) void widen_half_f16c(const std::byte* in,
                                                         std::span<float> out) {
  std::size_t i = 0;
  for (; i + 8 <= out.size(); i += 8) {
    _mm256_storeu_ps(
        out.data() + i,
        _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + 2 * i))));
  }
  widen_half_plain(in + 2 * i, out.subspan(i));
}
#endif

template <class Out>
void widen_half(const std::byte* in, std::span<Out> out) {
#if defined(__x86_64__)
  // Every processor with AVX2 has F16C, and clang 14 has no test for F16C.
  static const bool fast = __builtin_cpu_supports("avx2");
  if (fast) return widen_half_f16c(in, out);
#endif
  widen_half_plain(in, out);
}

template <class Out>
void widen_bfloat(const std::byte* in, std::span<Out> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, in + 2 * i, 2);
    out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
}

template <class Out>
void convert(ElementType type, const std::byte* in, std::span<Out> out) {
  switch (type) {
    case ElementType::boolean:
    case ElementType::u8:
      return widen<std::uint8_t>(in, out);
    case ElementType::i8:
      return widen<std::int8_t>(in, out);
    case ElementType::i16:
      return widen<std::int16_t>(in, out);
    case ElementType::u16:
      return widen<std::uint16_t>(in, out);
    case ElementType::i32:
      return widen<std::int32_t>(in, out);
    case ElementType::u32:
      return widen<std::uint32_t>(in, out);
    case ElementType::i64:
      return widen<std::int64_t>(in, out);
    case ElementType::u64:
      return widen<std::uint64_t>(in, out);
    case ElementType::f16:
      if constexpr (std::is_floating_point_v<Out>) widen_half(in, out);
      return;
    case ElementType::bf16:
      if constexpr (std::is_floating_point_v<Out>) widen_bfloat(in, out);
      return;
    case ElementType::f32:
      if constexpr (std::is_floating_point_v<Out>) widen<float>(in, out);
      return;
    case ElementType::f64:
      if constexpr (std::is_floating_point_v<Out>) widen<double>(in, out);
      return;
  }
}

// convert() for either byte order: numbers in the other byte order go through a small buffer.
template <class Out>
void convert_any(ElementType type, bool swapped, const std::byte* in, std::span<Out> out) {
  const std::size_t size = element_size(type);
  if (!swapped || size == 1) return convert(type, in, out);
  std::array<std::byte, kChunk * 8> buffer;
  for (std::size_t done = 0; done < out.size(); done += kChunk) {
    const std::size_t count = std::min(kChunk, out.size() - done);
    swap_elements(size, in + done * size, count, buffer.data());
    convert(type, buffer.data(), out.subspan(done, count));
  }
}

template <class T>
bool narrow(std::span<const double> in, std::byte* out) {
  bool fits = true;
  for (std::size_t i = 0; i < in.size(); ++i) {
    // Beyond the type's range the cast is undefined, so the rounding to infinity is written out.
    const double limit = static_cast<double>(std::numeric_limits<T>::max());
    T value;
    if (std::isfinite(in[i]) && std::fabs(in[i]) > limit) {
      fits = false;
      value = std::copysign(std::numeric_limits<T>::infinity(), static_cast<T>(in[i] > 0 ? 1 : -1));
    } else {
      value = static_cast<T>(in[i]);
    }
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
  return fits;
}

std::uint16_t double_to_bfloat(double value) {
  if (std::isnan(value)) return 0x7fc0;
  // Rounding twice (to float, then to bfloat) can go wrong; rounding to odd first cannot.
  float single = static_cast<float>(value);
  std::uint32_t bits = std::bit_cast<std::uint32_t>(single);
  if (!std::isinf(single) && static_cast<double>(single) != value) {
    if (std::fabs(static_cast<double>(single)) > std::fabs(value)) --bits;
    bits |= 1;
  }
  if (std::isinf(single)) return static_cast<std::uint16_t>(bits >> 16);
  bits += 0x7fff + ((bits >> 16) & 1);
  return static_cast<std::uint16_t>(bits >> 16);
}

template <class Round>
bool narrow_to_16(std::span<const double> in, std::byte* out, std::uint16_t infinity, Round round) {
  bool fits = true;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::uint16_t bits = round(in[i]);
    if ((bits & 0x7fff) == infinity && std::isfinite(in[i])) fits = false;
    std::memcpy(out + 2 * i, &bits, 2);
  }
  return fits;
}

}  // namespace

std::size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::boolean:
    case ElementType::i8:
    case ElementType::u8:
      return 1;
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16:
      return 2;
    case ElementType::i32:
    case ElementType::u32:
    case ElementType::f32:
      return 4;
    case ElementType::i64:
    case ElementType::u64:
    case ElementType::f64:
      return 8;
  }
  return 0;
}

std::string_view element_name(ElementType type) {
  constexpr std::array<std::string_view, 13> kNames = {
      "bool",  "int8",   "uint8",   "int16",    "uint16",  "int32",  "uint32",
      "int64", "uint64", "float16", "bfloat16", "float32", "float64"};
  return kNames[static_cast<std::size_t>(type)];
}

ElementType floating_type_for(ElementType type) {
  switch (type) {
    case ElementType::boolean:
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::f16:
      return ElementType::f16;
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::bf16:
    case ElementType::f32:
      return ElementType::f32;
    default:
      return ElementType::f64;
  }
}

bool is_floating(ElementType type) { return type >= ElementType::f16; }

void to_doubles(ElementType type, bool swapped, const std::byte* in, std::span<double> out) {
  convert_any(type, swapped, in, out);
}

void to_floats(ElementType type, bool swapped, const std::byte* in, std::span<float> out) {
  convert_any(type, swapped, in, out);
}

bool to_integers(ElementType type, bool swapped, const std::byte* in, std::span<std::int64_t> out) {
  if (is_floating(type)) return false;
  convert_any(type, swapped, in, out);
  // An unsigned number above the signed range has wrapped to a negative one.
  return type != ElementType::u64 ||
         std::all_of(out.begin(), out.end(), [](auto v) { return v >= 0; });
}

bool from_doubles(ElementType type, std::span<const double> in, std::byte* out) {
  switch (type) {
    case ElementType::f64:
      std::memcpy(out, in.data(), in.size_bytes());
      return true;
    case ElementType::f32:
      return narrow<float>(in, out);
    case ElementType::f16:
      return narrow_to_16(in, out, 0x7c00, double_to_half);
    case ElementType::bf16:
      return narrow_to_16(in, out, 0x7f80, double_to_bfloat);
    default:
      assert(!"from_doubles writes floating types only");
      return false;
  }
}

std::optional<std::size_t> first_not_finite(std::span<const double> values) {
  // x - x is 0 for a finite number and NaN otherwise; eight separate sums let the compiler use
  // vectors.
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += values[i + lane] - values[i + lane];
  }
  double sum = 0;
  for (; i < values.size(); ++i) sum += values[i] - values[i];
  for (double lane : sums) sum += lane;
  if (sum == 0) return std::nullopt;
  const auto bad =
      std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
  return static_cast<std::size_t>(bad - values.begin());
}

std::optional<std::uint64_t> count_elements(std::span<const std::uint64_t> shape) {
  std::uint64_t count = 1;
  for (std::uint64_t size : shape) {
    if (__builtin_mul_overflow(count, size, &count) || count > (std::uint64_t{1} << 62))
      return std::nullopt;
  }
  return count;
}

double half_to_double(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int mantissa = half & 0x3ff;
  const double sign = half & 0x8000 ? -1.0 : 1.0;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent < 31) return sign * std::ldexp(1024 + mantissa, exponent - 25);
  return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
}

std::uint16_t double_to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520.0)
    return sign | 0x7c00;  // halfway between the largest half and the next step
  if (magnitude < 0x1p-14) {
    // Subnormal: a multiple of 2^-24. nearbyint rounds to even; 1024 carries into the exponent as
    // it should.
    return sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24));
  }
  int exponent;
  const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  const auto rounded =
      static_cast<std::uint32_t>(std::nearbyint(fraction * 2048.0));  // 1024 .. 2048
  return sign | static_cast<std::uint16_t>(((exponent + 13) << 10) + rounded);
}

}  // namespace paco::io
