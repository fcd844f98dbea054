// Screening of two lists that compete with each other, e.g. prototypes that never move and
// prototypes that do. The bounds of both lists are used together, so far fewer candidates remain
// than with separate screening. Like all screening, it narrows down the candidates and does not
// decide.
#pragma once

#include <vector>

#include "math/kernels.hpp"

namespace paco::math {

// All entries that may be among the two largest exact values of both lists together, and all
// entries of `a` that may be the largest of `a`. The entries of `a` come first, each list in
// ascending order of index. Indices of `b` continue those of `a`: its first index is a.count.
void prefilter_two(const PrefilterScores& a, const PrefilterScores& b,
                   std::vector<Candidate>& candidates);

}  // namespace paco::math
