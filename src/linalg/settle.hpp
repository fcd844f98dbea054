// From candidates to winners: exact scores are asked for, the most promising candidate first, until
// nobody who is left can change the outcome.
//
// Bounds from screening are wide where rounding was coarse. An exact score is a much higher bar
// than the lower bound it replaces, so most candidates never have to be scored.
#pragma once

#include <algorithm>
#include <vector>

#include "linalg/kernels.hpp"

namespace paco {

// Calls offer(index) for candidates in descending order of their upper bounds, as long as the bound
// reaches bar(), which offers may raise. Offers come in no order of index: ties are the caller's.
template <class Bar, class Offer>
void settle_best(std::vector<Candidate>& candidates, Bar bar, Offer offer) {
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.upper > b.upper; });
  for (const Candidate& candidate : candidates) {
    if (static_cast<double>(candidate.upper) < bar()) return;
    offer(candidate.index);
  }
}

}  // namespace paco
