// The best and the second best of some scored prototypes, offered in any order: the highest score
// wins, of equal ones the lowest number. Every method that names a runner-up keeps its candidates
// here.
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
