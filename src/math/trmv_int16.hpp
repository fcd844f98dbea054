// A lower triangular matrix times unit vectors, in 16-bit whole numbers. Takes half the bytes of
// float32 and half the instructions, and whole numbers have the same sum in any order: the bits are
// the same on every machine without a rule for them. Compiled for several instruction sets
// (Highway).
//
// The result is less accurate because of the rounding: a cosine of two products differs by about
// 1e-5 from that of exact ones. If that is too much, use gemm_deterministic.hpp, which is accurate
// to 1e-7.
//
// The definition, for a unit vector u and row i of the matrix a:
//   p = whole(s u)         s the largest of 2^16, 2^15, 2^14 with which no |p_j| is above 32767
//   q = whole(a_ij / r)    for j < i, r the float32 of their length / 32000; 0 where that is tiny
//   product = a_ii u_i + float(sum of q_j p_j) (r / s)    in float32, every step rounded
// whole() is the nearest whole number, the even one of two. The lengths of p and q are such that no
// sum leaves 32 bits, in up to 2^20 columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "paco/rows.hpp"

namespace paco::math {

class ShortTriangle {
 public:
  ShortTriangle() = default;
  explicit ShortTriangle(Rows<const float> lower);  // (n, n), zero above the diagonal

  std::size_t size() const { return diagonal_.size(); }

  // out[i * stride + j] = product j of unit vector i, for `count` vectors that begin `apart` floats
  // from each other.
  void multiply(const float* units, std::size_t count, std::size_t apart, float* out,
                std::size_t stride) const;

 private:
  std::vector<float> diagonal_;
  std::vector<float> scales_;         // r of each row
  std::vector<std::int32_t> panels_;  // 32 rows side by side, two columns to a word
};

namespace plain {

// One unit vector (n), straight from the definition.
std::vector<float> multiply_short(Rows<const float> lower, const float* unit);

}  // namespace plain
}  // namespace paco::math
