// Groups of alike samples where nothing is labelled: a stream without known classes begins with
// them. Average linkage over cosines, cut where the mean silhouette is largest, so how many groups
// there are follows from the samples. It knows nothing of classes: what belongs together for a
// person may be several groups, or part of one.
//
// Time grows with the third power of the samples: it is for some hundred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "paco/rows.hpp"

namespace paco::insight {

struct FirstGroups {
  std::vector<std::int64_t> group;  // of each row; -1: alone
  std::size_t count = 0;            // groups of two samples or more, the largest first
  double silhouette = 0;            // 1: far apart; 0: they run into each other
};

// embeddings is (n, d). Of groupings that are as good the one with fewer groups is taken.
FirstGroups first_groups(Rows<const double> embeddings);

}  // namespace paco::insight
