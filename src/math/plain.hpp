// The definition of every sum this project depends on, in plain loops.
//
// A decision must have the same bits on every machine, so a sum needs a fixed order. Ours: 32
// partial sums, element i goes to partial sum i % 32, and the partial sums are folded in halves.
// That order suits every SIMD width up to 32 doubles, and the fast kernels (kernels.hpp) return
// exactly these bits. Tests compare the two.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace paco::math::plain {

inline constexpr std::size_t kPartialSums = 32;

// Folds the partial sums in halves: 0+16, 1+17, ..., then 0+8, ...
inline double fold(std::array<double, kPartialSums>& partial) {
  for (std::size_t width = kPartialSums / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) partial[i] += partial[i + width];
  }
  return partial[0];
}

// Sum of a[i] * b[i] in double; a and b are each float or double.
template <class A, class B>
double dot(const A* a, const B* b, std::size_t n) {
  std::array<double, kPartialSums> partial{};
  for (std::size_t i = 0; i < n; ++i) {
    partial[i % kPartialSums] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return fold(partial);
}

inline constexpr std::size_t kChunk = 64;

// Sum of a[i] * b[i] where double would be too slow: chunks of 64 terms are added up in float32,
// one after another, and the chunks in double. Good to about 1e-7 of the lengths of a and b.
inline float chunked_dot(const float* a, const float* b, std::size_t n) {
  double total = 0;
  for (std::size_t first = 0; first < n; first += kChunk) {
    float chunk = 0;
    for (std::size_t i = first; i < std::min(first + kChunk, n); ++i) chunk += a[i] * b[i];
    total += static_cast<double>(chunk);
  }
  return static_cast<float>(total);
}

inline constexpr std::size_t kFusedChunk = 128;

// The same with every term multiplied and added in one rounding, which allows for longer chunks.
inline float fused_dot(const float* a, const float* b, std::size_t n) {
  double total = 0;
  for (std::size_t first = 0; first < n; first += kFusedChunk) {
    float chunk = 0;
    for (std::size_t i = first; i < std::min(first + kFusedChunk, n); ++i)
      chunk = std::fma(a[i], b[i], chunk);
    total += static_cast<double>(chunk);
  }
  return static_cast<float>(total);
}

}  // namespace paco::math::plain
