// Matrix products in float32, split over threads. Only for screening: the order of summation
// depends on the instruction set.
//
// It does not use BLAS: OpenBLAS's number of threads is a setting of the whole process, and a
// library should not change the settings of its host. For the shapes of screening, few samples with
// many rows, these products are about as fast as OpenBLAS's, and faster for a handful of samples.
#pragma once

#include <cstddef>

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::math {

// out (m, n, row stride `stride`) = a (m, depth) * b (n, depth)^T.
void multiply_transposed(const float* a, std::size_t m, const float* b, std::size_t n,
                         std::size_t depth, float* out, std::size_t stride, core::ThreadPool& pool);

// The lower triangle of a a^T; out is (m, m) with row stride m, a is (m, depth).
void multiply_self(const float* a, std::size_t m, std::size_t depth, float* out);

}  // namespace paco::math
