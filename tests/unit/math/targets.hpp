// Runs a test body once for every instruction set that the kernels were compiled for and that this
// CPU has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <string>
#include <vector>

#include "math/kernels.hpp"

namespace paco::testing {

template <class Body>
void for_every_target(Body body) {
  const std::vector<std::string> compiled = math::kernel_targets();
  std::size_t tried = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (std::find(compiled.begin(), compiled.end(), hwy::TargetName(target)) == compiled.end())
      continue;
    hwy::SetSupportedTargetsForTest(target);
    const std::string used = math::kernel_target();
    EXPECT_EQ(used, hwy::TargetName(target));
    {
      SCOPED_TRACE("instruction set " + used);
      body();
    }
    hwy::SetSupportedTargetsForTest(0);
    ++tried;
  }
  EXPECT_GE(tried, 1u);
}

}  // namespace paco::testing
