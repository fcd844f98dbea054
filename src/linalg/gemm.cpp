#include "linalg/gemm.hpp"

#include <cblas.h>

#include <algorithm>
#include <mutex>

#include "base/threads.hpp"

namespace paco {
namespace {

// Threads are ours to divide: BLAS itself always works on the calling thread.
void keep_blas_on_this_thread() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

int blas_int(std::size_t n) { return static_cast<int>(n); }

}  // namespace

void multiply_transposed(const float* a, std::size_t m, const float* b, std::size_t n,
                         std::size_t depth, float* out, std::size_t stride, ThreadPool& pool) {
  if (m == 0 || n == 0) return;
  keep_blas_on_this_thread();
  const auto columns = [&](std::size_t first, std::size_t last) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas_int(m), blas_int(last - first),
                blas_int(depth), 1.0f, a, blas_int(depth), b + first * depth, blas_int(depth), 0.0f,
                out + first, blas_int(stride));
  };
  const std::size_t share = (n + pool.threads() - 1) / pool.threads();
  pool.parallel_for(n, std::max<std::size_t>(share, 32), columns);
}

void multiply_self(const float* a, std::size_t m, std::size_t depth, float* out) {
  if (m == 0) return;
  keep_blas_on_this_thread();
  cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, blas_int(m), blas_int(depth), 1.0f, a,
              blas_int(depth), 0.0f, out, blas_int(m));
}

const char* blas_description() { return openblas_get_config(); }

}  // namespace paco
