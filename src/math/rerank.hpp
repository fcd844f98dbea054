// From candidates to winners: exact scores are asked for, the most promising candidate first, until
// no candidate that is left can change the outcome.
//
// Bounds from screening are wide where rounding was coarse. An exact score is a much higher bar
// than the lower bound it replaces, so most candidates never have to be scored.
#pragma once

#include <algorithm>
#include <vector>

#include "math/kernels.hpp"

namespace paco::math {

// Calls offer(index) for candidates in descending order of their upper bounds, as long as the bound
// reaches bar(), which offers may raise. Offers come in no order of index: ties are the caller's.
// The candidates are used up.
template <class Bar, class Offer>
void rerank_best(std::vector<Candidate>& candidates, Bar bar, Offer offer) {
  const auto less = [](const Candidate& a, const Candidate& b) { return a.upper < b.upper; };
  // A heap, not a sort: of many candidates few are looked at. Of a few it takes longer to make one
  // than to look through them each time.
  constexpr std::size_t kFew = 16;
  const bool heap = candidates.size() > kFew;
  if (heap) std::make_heap(candidates.begin(), candidates.end(), less);
  while (!candidates.empty()) {
    const auto best =
        heap ? candidates.begin() : std::max_element(candidates.begin(), candidates.end(), less);
    if (static_cast<double>(best->upper) < bar()) return;
    const std::size_t index = best->index;
    if (heap) {
      std::pop_heap(candidates.begin(), candidates.end(), less);
    } else {
      *best = candidates.back();
    }
    candidates.pop_back();
    offer(index);
  }
}

}  // namespace paco::math
