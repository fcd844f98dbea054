// Screening of two lists that compete with each other, e.g. prototypes that never move and
// prototypes that do. Both have a say in who can win, so far fewer are left than where each is
// screened by itself. As everything that screens, it narrows down and does not decide.
#pragma once

#include <vector>

#include "linalg/kernels.hpp"

namespace paco {

// All that may be among the two largest exact values of both lists together, and all of `a` that
// may be the largest of `a`; those of `a` first, each in ascending order of index. Indices of `b`
// follow those of `a`: its first is a.count.
void screen_two(const ScreenedScores& a, const ScreenedScores& b,
                std::vector<Candidate>& candidates);

}  // namespace paco
