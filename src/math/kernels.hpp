// Kernels that BLAS does not have, compiled for several instruction sets and chosen at run time
// (Highway).
//
// Two families. The exact ones work in double and return the bits that plain.hpp defines, on every
// machine. The screening ones work in float32 or make 8-bit copies, are fast, and come with error
// bounds: they may narrow down the candidates, but never choose the winner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace paco::math {

// Exact: equal to plain::dot bit for bit.
double dot(const float* a, const float* b, std::size_t n);
double dot(const double* a, const float* b, std::size_t n);
double dot(const double* a, const double* b, std::size_t n);

// sum += addend; returns the squared length of the sum.
double accumulate(double* sum, const float* addend, std::size_t n);

// Every number rounded to float32.
void to_float32(const double* numbers, float* rounded, std::size_t n);

// unit = float32 of z / |z| with z = (raw - mean) / deviation, all in double. Returns |z|^2; if
// that is zero or not finite, the contents of `unit` are unspecified.
double standardise(const double* raw, const double* mean, const double* deviation, float* unit,
                   std::size_t n);

// Screening: products[k] = rows[k] . unit in float32; rows is (count, n).
void screen_rows(const float* rows, std::size_t count, const float* unit, std::size_t n,
                 float* products);

// Bound on |float32 product - exact product| / (|a| |b|) for vectors of n elements, whatever the
// order of summation and with up to `extra` further float32 roundings of the result (Higham's
// gamma, with room to spare).
double screen_error(std::size_t n, std::size_t extra = 0);

// A row as integer multiples, -127 .. 127, of its own scale.
struct RoundedToBytes {
  float scale = 0;
  float error = 0;       // at least the length of row - scale * multiples ...
  std::int32_t sum = 0;  // of the multiples
};
// ... also where the row is itself the float32 of the numbers meant.
RoundedToBytes round_to_bytes(const float* row, std::size_t n, std::int8_t* multiples);

// A float32 view on one quantity per prototype: value[k] is within error[k] of the exact one, where
//   value[k] = products[k] * scale[k] * factor[k] * common + offset[k]
//   error[k] = (cosine_error[k] * stretch + constant_error) * factor[k] * common + slack
// An absent array counts as 1 (scale, factor) or 0 (offset, cosine_error).
struct PrefilterScores {
  const float* products = nullptr;
  std::size_t count = 0;
  const float* scale = nullptr;
  const float* factor = nullptr;
  const float* offset = nullptr;
  const float* cosine_error = nullptr;
  float constant_error = 0;
  float stretch = 1;
  float common = 1;
  float slack = 0;
};

// A prototype that may win, and a bound that its exact value cannot exceed.
struct Candidate {
  std::uint32_t index = 0;
  float upper = 0;
};

// All prototypes that may be among the `places` (1 to 3) largest exact values, in ascending order
// of index. rerank.hpp chooses among them.
void prefilter_best(const PrefilterScores& scores, int places, std::vector<Candidate>& candidates);

// All prototypes whose exact value may reach `bar`, in ascending order of index.
void screen_reaching(const PrefilterScores& scores, float bar, std::vector<Candidate>& candidates);

// The instruction set in use, e.g. "AVX3", and those compiled in.
std::string kernel_target();
std::vector<std::string> kernel_targets();

}  // namespace paco::math
