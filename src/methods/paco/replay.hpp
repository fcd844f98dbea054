// The replay that calibrates joining a category: the support set is streamed in random order with
// its true classes given, and every sample is scored against the memory just before it is added to
// its own class.
//
// Scores of samples whose class is already in the memory are what joining looks like (positives);
// the score at the first sample of a class is what a new category looks like (negatives). The first
// sample of a pass meets an empty memory and has no score.
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
  // Samples of a pass that are scored, about: runs of kRun that lie evenly in its order. The others
  // enter the memory only.
  std::size_t scored = std::numeric_limits<std::size_t>::max();

  static constexpr std::size_t kRun = 64;
  bool scores(std::size_t place, std::size_t samples) const;
};

// In blocks, by matrix products and screening. Where the work is stopped, scores are missing.
ReplayScores replay(Rows<const float> units, std::span<const std::int64_t> labels,
                    const ReplayPlan& plan, core::ThreadPool& pool, WorkDone& work);

// One sample at a time in plain loops: the same scores, which the fast form is checked against.
ReplayScores plain_replay(Rows<const float> units, std::span<const std::int64_t> labels,
                          const ReplayPlan& plan);

}  // namespace paco::methods
