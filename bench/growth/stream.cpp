// Whether the ten-millionth sample costs more than the first thousand.
#include <fmt/format.h>

#include "growth.hpp"

namespace paco::bench {

// Samples are made block by block and forgotten; only deciding is timed.
void grow_stream(Harness& harness) {
  constexpr std::size_t kBlock = 1000;
  const io::SyntheticData data({"", 64, 20, 20, 400, 0, 0.25, 9});
  const auto method = harness.take(
      make_method("paco", std::make_shared<const Model>(harness.take(calibrate_made(data)))));
  std::vector<Decision> decisions(kBlock);
  math::Matrix<double> block(kBlock, data.shape().dimension);
  std::uint64_t done = 0;
  for (const std::uint64_t end : {1'000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u}) {
    std::vector<double> seconds;
    for (; done < end; done += kBlock) {
      for (std::size_t i = 0; i < kBlock; ++i) data.stream_row(done + i, block[i]);
      const double before = harness.clock()();
      harness.take(method->decide_block(block, decisions));
      seconds.push_back(harness.clock()() - before);
    }
    Measurement m{"growth", "paco in blocks", fmt::format("{} samples", end),
                  timing_of(std::move(seconds)), static_cast<double>(kBlock)};
    m.more = {{"axis", "samples"},
              {"at", end},
              {"d", data.shape().dimension},
              {"prototypes", data.shape().known + decisions.back().categories_after},
              {"resident_bytes", resident_bytes()}};
    harness.add(std::move(m));
  }
}

}  // namespace paco::bench
