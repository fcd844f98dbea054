// Timing is judged with a clock that the test moves by hand.
#include "bench/common/measure.hpp"

#include <gtest/gtest.h>

namespace paco {
namespace {

TEST(Timing, MedianLowestAndLatePercentileComeFromTheSortedTimes) {
  std::vector<double> seconds;
  for (int i = 100; i >= 1; --i) seconds.push_back(i);
  const Timing timing = timing_of(seconds);
  EXPECT_EQ(timing.median, 51);
  EXPECT_EQ(timing.low, 1);
  EXPECT_EQ(timing.p99, 100);
  EXPECT_EQ(timing.runs, 100u);
}

TEST(Timing, PreparationIsNotTimed) {
  double now = 0;
  const Timing timing = time_runs([&] { return now; }, 5, [&] { now += 2; }, [&] { now += 100; });
  EXPECT_EQ(timing.median, 2);
  EXPECT_EQ(timing.runs, 3u);
}

TEST(Measurement, SharesAreOfTheMachinesLimits) {
  Measurement m{"decide_block", "paco", "cars", timing_of({0.5}), 10};
  m.flops = 1e9;
  m.bytes = 2e9;
  const MachinePeak peak{8, 16};
  EXPECT_DOUBLE_EQ(m.share_of_sgemm(peak), 0.25);
  EXPECT_DOUBLE_EQ(m.share_of_memory(peak), 0.25);
  EXPECT_DOUBLE_EQ(m.microseconds_per_item(), 5e4);
}

}  // namespace
}  // namespace paco
