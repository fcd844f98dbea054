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
// The candidates are used up.
template <class Bar, class Offer>
void settle_best(std::vector<Candidate>& candidates, Bar bar, Offer offer) {
  // A heap, not a sort: of many candidates few are looked at.
  const auto less = [](const Candidate& a, const Candidate& b) { return a.upper < b.upper; };
  std::make_heap(candidates.begin(), candidates.end(), less);
  while (!candidates.empty() && !(static_cast<double>(candidates.front().upper) < bar())) {
    std::pop_heap(candidates.begin(), candidates.end(), less);
    offer(candidates.back().index);
    candidates.pop_back();
  }
}

}  // namespace paco
