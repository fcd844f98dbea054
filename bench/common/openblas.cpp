#include "bench/common/openblas.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace paco {
namespace {

constexpr const char* kName = "libopenblas.so.0";

// Of the C interface of BLAS, the same everywhere.
constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// How many threads it starts is read from the environment while it is loaded, and nowhere else.
void* load_with_one_thread() {
  if (void* const there = ::dlopen(kName, RTLD_NOW | RTLD_NOLOAD)) return there;
  constexpr const char* kThreads = "OPENBLAS_NUM_THREADS";
  const bool given = std::getenv(kThreads) != nullptr;
  if (!given) ::setenv(kThreads, "1", 0);
  void* const library = ::dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (!given) ::unsetenv(kThreads);
  return library;
}

}  // namespace

// One thread while it lives; then as many as before.
class OpenBlas::OneThread {
 public:
  explicit OneThread(const OpenBlas& blas) : blas_(blas), before_(blas.get_threads_()) {
    if (before_ != 1) blas_.set_threads_(1);
  }
  ~OneThread() {
    if (before_ != 1) blas_.set_threads_(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const OpenBlas& blas_;
  int before_;
};

void OpenBlas::multiply_transposed(int m, int n, int k, const float* a, const float* b,
                                   float* c) const {
  const OneThread here(*this);
  sgemm_(kRowMajor, kAsItIs, kTransposed, m, n, k, 1.0F, a, k, b, k, 0.0F, c, n);
}

float OpenBlas::dot(const float* a, const float* b, int n) const {
  const OneThread here(*this);
  return sdot_(n, a, 1, b, 1);
}

const OpenBlas* openblas() {
  static const OpenBlas* const loaded = []() -> const OpenBlas* {
    void* const library = load_with_one_thread();
    if (library == nullptr) return nullptr;
    using Text = const char* (*)();
    Text config = nullptr, core = nullptr;
    static OpenBlas blas;
    if (!find(library, "cblas_sgemm", blas.sgemm_) || !find(library, "cblas_sdot", blas.sdot_) ||
        !find(library, "openblas_get_num_threads", blas.get_threads_) ||
        !find(library, "openblas_set_num_threads", blas.set_threads_) ||
        !find(library, "openblas_get_config", config) ||
        !find(library, "openblas_get_corename", core)) {
      return nullptr;
    }
    blas.config = config();
    blas.core = core();
    return &blas;
  }();
  return loaded;
}

}  // namespace paco
