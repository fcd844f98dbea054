// How many samples of each true class are in each cluster. Matching, NMI and ARI need only this.
//
// The table is sparse, because a stream can have tens of thousands of clusters. Clusters and
// classes are numbered densely in the order of their ids. Samples without truth are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "paco/decision.hpp"

namespace paco::evaluate {

struct Contingency {
  struct Entry {
    std::uint32_t cluster = 0;  // index into clusters
    std::uint32_t label = 0;    // index into labels
    std::int64_t count = 0;     // above 0
  };

  std::vector<CategoryId> clusters;         // ids, ascending
  std::vector<std::int64_t> labels;         // true classes, ascending
  std::vector<std::int64_t> cluster_sizes;  // as clusters
  std::vector<std::int64_t> label_sizes;    // as labels
  std::vector<Entry> entries;               // by cluster, then label
  std::int64_t samples = 0;
};

// predicted and truth are (n); a truth of kNoTruth leaves the sample out.
Contingency count_pairs(std::span<const CategoryId> predicted, std::span<const std::int64_t> truth);

// Mutual information divided by the mean of the two entropies, from 0 to 1. If both groupings have
// one group, they agree: 1. Undefined without samples.
std::optional<double> normalised_mutual_information(const Contingency& table);

// The share of pairs of samples on which both groupings agree, corrected for chance: 1 for equal
// groupings, about 0 for random ones, below 0 for worse ones. 1 if both are trivial in the same way
// (one group, or all alone). Undefined without samples.
std::optional<double> adjusted_rand_index(const Contingency& table);

}  // namespace paco::evaluate
