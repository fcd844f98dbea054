// Screening of two lists that compete with each other, e.g. prototypes that never move and
// prototypes that do. Both have a say in who can win, so far fewer are left than where each is
// screened by itself. As everything that screens, it narrows down and does not decide.
#pragma once

#include <vector>

#include "math/kernels.hpp"

namespace paco::math {

// All that may be among the two largest exact values of both lists together, and all of `a` that
// may be the largest of `a`; those of `a` first, each in ascending order of index. Indices of `b`
// follow those of `a`: its first is a.count.
void prefilter_two(const PrefilterScores& a, const PrefilterScores& b,
                   std::vector<Candidate>& candidates);

}  // namespace paco::math
