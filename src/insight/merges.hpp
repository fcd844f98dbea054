// Which two discovered categories may be one thing: pairs ranked by a score whose weights were
// learned on real streams (docs/explanation/questions.md).
//
// Everything comes from the sums of the prototypes, so no sample is read, and it is the same for
// every method whose prototypes have directions.
#pragma once

#include <cstddef>
#include <vector>

#include "insight/directions.hpp"

namespace paco::insight {

struct MergeQuestion {
  CategoryId a = 0, b = 0;  // a < b
  // Mean cosine of a member of a with one of b over that inside the two: about 1 for two pieces of
  // one thing, whatever their sizes.
  double likeness = 0;
  double score = 0;  // what questions are ranked by
};

// The `most` best pairs, best first. Categories of three members and more are compared, at most
// kMostCompared of them, the largest.
inline constexpr std::size_t kMostCompared = 2000;
std::vector<MergeQuestion> merge_questions(const Directions& all, std::size_t most);

}  // namespace paco::insight
