// The two protocols of the field, Strict and Greedy: which cluster is matched to which class.
//
// Both match the same kept clusters to classes so that most samples are right. Strict matches once,
// so a cluster matched to an old class cannot be matched to a novel one. Greedy matches the old and
// the novel classes separately.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "evaluate/contingency.hpp"
#include "evaluate/evaluation.hpp"

namespace paco::evaluate {

// For each cluster of a contingency, the index of its class, or kUnmatched. No two clusters have
// the same class. A cluster and a class without a common sample are never matched.
using StandsFor = std::vector<std::int64_t>;

struct Protocols {
  std::vector<char>
      kept;  // per cluster; samples of the others are wrong but are counted in the denominators
  StandsFor strict;
  StandsFor greedy_old;
  StandsFor greedy_novel;
  // The fewest and the most old samples that are right under Strict, over all matchings with as
  // many right samples in total.
  std::int64_t fewest_old = 0;
  std::int64_t most_old = 0;
};

// Labels below known_classes are old. If clusters have equal size, Keep::top prefers the lower id.
// Ties between matchings are resolved by match() on the table of clusters (rows) and classes
// (columns), both in the order of their ids; a square table has empty rows or columns after them.
// If the token is set, the result is not complete.
Protocols apply_protocols(const Contingency& table, std::int64_t known_classes, Keep keep,
                          MatchTable shape, std::stop_token stop = {});

}  // namespace paco::evaluate
