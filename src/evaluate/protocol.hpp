// The two protocols of the field, Strict and Greedy: which cluster stands for which class.
//
// Both match the same kept clusters to classes so that most samples are right. Strict does it once,
// so a cluster that serves an old class cannot serve a novel one; Greedy does it for the old and
// the novel classes apart.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "evaluate/contingency.hpp"
#include "evaluate/evaluation.hpp"

namespace paco::evaluate {

// For each cluster of a contingency, the index of the class it stands for, or kUnmatched. No two
// share a class, and a pair without a common sample is not a pair.
using StandsFor = std::vector<std::int64_t>;

struct Protocols {
  std::vector<char>
      kept;  // per cluster; samples of the others are wrong but stay in the denominators
  StandsFor strict;
  StandsFor greedy_old;
  StandsFor greedy_novel;
  // Old samples that are right under Strict, over all matchings with as many right samples
  // altogether.
  std::int64_t fewest_old = 0;
  std::int64_t most_old = 0;
};

// Labels below known_classes are old. Keep::top prefers, of clusters of equal size, the lower id.
// Ties between matchings are resolved by match() on the table with clusters as rows and classes as
// columns, both in the order of their ids; a square one has empty rows or columns behind them.
// Where the token is set the result is not complete.
Protocols apply_protocols(const Contingency& table, std::int64_t known_classes, Keep keep,
                          MatchTable shape, std::stop_token stop = {});

}  // namespace paco::evaluate
