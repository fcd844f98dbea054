// The best and the second best of some scored prototypes, offered in any order: the highest score
// wins, of equal ones the lowest number. Every method that names a runner-up keeps its candidates
// here.
#pragma once

#include "paco/category.hpp"
#include "paco/decision.hpp"

namespace paco {

struct BestTwo {
  PrototypeId first = kNobody, second = kNobody;
  double score = kNotComputed, second_score = kNotComputed;

  void offer(PrototypeId id, double value) {
    if (first == kNobody || value > score || (value == score && id < first)) {
      second = first;
      second_score = score;
      first = id;
      score = value;
    } else if (second == kNobody || value > second_score ||
               (value == second_score && id < second)) {
      second = id;
      second_score = value;
    }
  }
};

}  // namespace paco
