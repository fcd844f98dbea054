// Finds the winners among the candidates: it computes exact scores, the most promising candidate
// first, until no remaining candidate can change the result.
//
// Bounds from screening are wide if rounding was coarse. An exact score is a much higher bar than
// the lower bound that it replaces, so most candidates are never scored.
#pragma once

#include <algorithm>
#include <vector>

#include "math/kernels.hpp"

namespace paco::math {

// Calls offer(index) for candidates in descending order of their upper bounds, as long as the bound
// is at least bar(); an offer may raise bar(). The order does not follow the index: the caller
// handles ties. The contents of `candidates` are unspecified afterwards.
template <class Bar, class Offer>
void rerank_best(std::vector<Candidate>& candidates, Bar bar, Offer offer) {
  const auto less = [](const Candidate& a, const Candidate& b) { return a.upper < b.upper; };
  // A heap instead of a sort, because only few of many candidates are scored. For a few candidates
  // a linear search each time is faster than making a heap.
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
