// The best and the second best of a set of scored prototypes, which can be offered in any order.
// The higher score wins; if scores are equal, the lower number wins. Every method that reports a
// runner-up uses this class.
#pragma once

#include "paco/category.hpp"
#include "paco/decision.hpp"

namespace paco::methods {

struct BestTwo {
  PrototypeId first = kNoId, second = kNoId;
  double score = kNotComputed, second_score = kNotComputed;

  void offer(PrototypeId id, double value) {
    if (first == kNoId || value > score || (value == score && id < first)) {
      second = first;
      second_score = score;
      first = id;
      score = value;
    } else if (second == kNoId || value > second_score || (value == second_score && id < second)) {
      second = id;
      second_score = value;
    }
  }
};

}  // namespace paco::methods
