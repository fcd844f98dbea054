// OpenBLAS, loaded when it is first asked for.
//
// Not linked, because the library starts threads and takes memory as soon as it is in a process
// (14 ms on two cores), and nothing that decides uses it: it is what speed is measured against.
// Whoever asks first has it loaded with one thread; where the process has it already (torch, a
// contender) that one is used, on one thread for the length of a call. For programs, not for the
// library: while it loads, an environment variable is set.
#pragma once

namespace paco {

struct OpenBlas {
  // c = a b^T, all row-major: a is (m, k), b is (n, k), c is (m, n).
  void multiply_transposed(int m, int n, int k, const float* a, const float* b, float* c) const;
  float dot(const float* a, const float* b, int n) const;

  const char* config = "";  // version and how it was built
  const char* core = "";    // the processor it takes this one for

 private:
  friend const OpenBlas* openblas();
  using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k,
                         float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                         float* c, int ldc);
  using Sdot = float (*)(int n, const float* x, int step_x, const float* y, int step_y);
  using GetThreads = int (*)();
  using SetThreads = void (*)(int threads);
  class OneThread;

  Sgemm sgemm_ = nullptr;
  Sdot sdot_ = nullptr;
  GetThreads get_threads_ = nullptr;
  SetThreads set_threads_ = nullptr;
};

// Null where no OpenBLAS is installed. Loaded once; may be called from any thread.
const OpenBlas* openblas();

}  // namespace paco
