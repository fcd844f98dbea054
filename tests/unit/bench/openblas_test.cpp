// What speed is measured against computes what it says, and leaves the process as it found it.
#include "bench/common/openblas.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace paco {
namespace {

TEST(OpenBlas, ProductsAreThoseOfTheDefinition) {
  const OpenBlas* const blas = openblas();
  if (blas == nullptr) GTEST_SKIP() << "no OpenBLAS is installed";
  const std::array<float, 6> a = {1, 2, 3, 4, 5, 6};           // (2, 3)
  const std::array<float, 9> b = {1, 0, 0, 0, 1, 0, 1, 1, 1};  // (3, 3)
  std::array<float, 6> c = {};                                 // (2, 3)
  blas->multiply_transposed(2, 3, 3, a.data(), b.data(), c.data());
  EXPECT_EQ(c, (std::array<float, 6>{1, 2, 6, 4, 5, 15}));
  EXPECT_EQ(blas->dot(a.data(), b.data(), 6), 6);
}

TEST(OpenBlas, LoadingItLeavesTheEnvironmentAsItWas) {
  const char* const before = std::getenv("OPENBLAS_NUM_THREADS");
  (void)openblas();
  EXPECT_EQ(std::getenv("OPENBLAS_NUM_THREADS"), before);
}

}  // namespace
}  // namespace paco
