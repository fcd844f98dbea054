// The program finds out by itself which instruction sets it may use; Highway's library, which the
// tests load, knows too.
#include "processor_targets.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace paco::math {
namespace {

TEST(ProcessorTargets, AreThoseThatHighwaysLibraryFinds) {
  constexpr std::int64_t kKnown = HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL;
  EXPECT_EQ(processor_targets() & kKnown, hwy::SupportedTargets() & kKnown);
}

}  // namespace
}  // namespace paco::math
