// The kernels BLAS does not have, compiled for several instruction sets and chosen at run time
// (Highway).
//
// Two families. The exact ones work in double and return the bits that plain.hpp defines, on every
// machine. The screening ones work in float32, are fast, and come with an error bound
// (screen_error): they may narrow down who can win, never say who does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace paco {

// Exact: equal to plain::dot bit for bit.
double dot(const float* a, const float* b, std::size_t n);
double dot(const double* a, const float* b, std::size_t n);
double dot(const double* a, const double* b, std::size_t n);

// sum += addend, rounded = float32 of the sum; returns the squared length of the sum.
double accumulate(double* sum, const float* addend, float* rounded, std::size_t n);

// unit = float32 of z / |z| with z = (raw - mean) / deviation, all in double. Returns |z|^2; where
// that is zero or not finite, `unit` is meaningless.
double standardise(const double* raw, const double* mean, const double* deviation, float* unit,
                   std::size_t n);

// Screening: products[k] = rows[k] . unit in float32; rows is (count, n).
void screen_rows(const float* rows, std::size_t count, const float* unit, std::size_t n,
                 float* products);

// Bound on |float32 product - exact product| / (|a| |b|) for vectors of n elements, whatever the
// order of summation and with up to `extra` further float32 roundings of the result (Higham's
// gamma, with room to spare).
double screen_error(std::size_t n, std::size_t extra = 0);

// A float32 view on one quantity per prototype: value[k] is within error[k] of the exact one, where
//   value[k] = products[k] * scale[k] * factor[k] * common + offset[k]
//   error[k] = cosine_error[k] * factor[k] * common + slack
// An absent array counts as 1 (scale, factor), 0 (offset); cosine_error absent means
// `constant_error` for all.
struct ScreenedScores {
  const float* products = nullptr;
  std::size_t count = 0;
  const float* scale = nullptr;
  const float* factor = nullptr;
  const float* offset = nullptr;
  const float* cosine_error = nullptr;
  float constant_error = 0;
  float common = 1;
  float slack = 0;
};

// The indices of all prototypes that may be among the `places` (1 to 3) largest exact values, in
// ascending order. `excluded` (or -1) does not take part.
void screen_best(const ScreenedScores& scores, int places, std::int64_t excluded,
                 std::vector<std::uint32_t>& candidates);

// The instruction set in use, e.g. "AVX3", and those compiled in.
std::string kernel_target();
std::vector<std::string> kernel_targets();

}  // namespace paco
