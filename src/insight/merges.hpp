// Finds pairs of discovered categories that may belong together, ranked by a score whose weights
// were learned on real streams (docs/explanation/questions.md).
//
// Only the sums of the prototypes are needed, so no sample is read. It works the same for every
// method whose prototypes have directions.
#pragma once

#include <cstddef>
#include <vector>

#include "insight/directions.hpp"

namespace paco::insight {

struct MergeQuestion {
  CategoryId a = 0, b = 0;  // a < b
  // Mean cosine of a member of a with one of b, divided by the mean cosine within the two. About 1
  // for two parts of one class, whatever their sizes.
  double likeness = 0;
  double score = 0;  // what questions are ranked by
};

// The `most` best pairs, best first. Compares the largest categories of three members or more, at
// most kMostCompared of them.
inline constexpr std::size_t kMostCompared = 2000;
std::vector<MergeQuestion> merge_questions(const Directions& all, std::size_t most);

}  // namespace paco::insight
