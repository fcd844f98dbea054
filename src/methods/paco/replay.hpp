// The replay that calibrates joining a category: the support set is streamed in random order with
// its true classes given, and every sample is scored against the memory just before it is added to
// its own class.
//
// The score of a sample whose class is already in the memory is a positive: it should join. The
// score of the first sample of a class is a negative: it should start a category. The first sample
// of a pass is compared with an empty memory and has no score.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "paco/rows.hpp"

namespace paco::core {
class ThreadPool;
}

namespace paco::core {
class ThreadPool;
}  // namespace paco::core

namespace paco::methods {

class WorkDone;

struct ReplayScores {
  // Best attach score over the memory.
  std::vector<double> attach_positives, attach_negatives;
  // Best cosine over the memory: what the leader method compares.
  std::vector<double> cosine_positives, cosine_negatives;
};

struct ReplayPlan {
  std::size_t classes = 0;
  int passes = 3;
  std::uint32_t seed = 0;  // numpy's RandomState(seed), one permutation a pass
  double log_p0 = 0;
  // Approximate number of samples of a pass that are scored: runs of kRun samples, spread evenly
  // over the pass. The others only enter the memory.
  std::size_t scored = std::numeric_limits<std::size_t>::max();

  static constexpr std::size_t kRun = 64;
  bool scores(std::size_t place, std::size_t samples) const;
};

// In blocks, by matrix products and screening. If the work is stopped, scores are missing.
ReplayScores replay(Rows<const float> units, std::span<const std::int64_t> labels,
                    const ReplayPlan& plan, core::ThreadPool& pool, WorkDone& work);

// One sample at a time in plain loops. It returns the same scores and is the reference for tests of
// the fast form.
ReplayScores plain_replay(Rows<const float> units, std::span<const std::int64_t> labels,
                          const ReplayPlan& plan);

}  // namespace paco::methods
