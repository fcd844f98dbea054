// Matrix products in float32, split over threads. Only for screening: the order of summation is
// BLAS's own.
#pragma once

#include <cstddef>

namespace paco {

class ThreadPool;

// out (m, n, row stride `stride`) = a (m, depth) * b (n, depth)^T.
void multiply_transposed(const float* a, std::size_t m, const float* b, std::size_t n,
                         std::size_t depth, float* out, std::size_t stride, ThreadPool& pool);

// The lower triangle of a a^T; out is (m, m) with row stride m, a is (m, depth).
void multiply_self(const float* a, std::size_t m, std::size_t depth, float* out);

// BLAS in use, for bug reports, e.g. "OpenBLAS 0.3.21 SkylakeX".
const char* blas_description();

}  // namespace paco
