// Groups of similar samples without labels, for a stream that starts without known classes. Average
// linkage over cosines, cut where the mean silhouette is largest, so the samples determine the
// number of groups. Classes are unknown to it: several groups can belong together for the user, or
// one group can contain several things.
//
// Time grows with the third power of the number of samples, so it is meant for some hundreds.
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

// embeddings is (n, d). Of equally good groupings, the one with fewer groups is used.
FirstGroups first_groups(Rows<const double> embeddings);

}  // namespace paco::insight
