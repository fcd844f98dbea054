// From counts to matchings: select the clusters, weight the pairs, match.
#include "evaluate/protocol.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "math/assignment.hpp"

namespace paco::evaluate {
namespace {

std::vector<char> kept_clusters(const Contingency& table, Keep keep) {
  const std::size_t clusters = table.clusters.size();
  if (keep == Keep::all || clusters <= table.labels.size()) return std::vector<char>(clusters, 1);
  std::vector<std::size_t> order(clusters);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Clusters are in the order of their ids, so a stable sort puts the lower id first.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return table.cluster_sizes[a] > table.cluster_sizes[b];
  });
  std::vector<char> kept(clusters, 0);
  for (std::size_t k = 0; k < table.labels.size(); ++k) kept[order[k]] = 1;
  return kept;
}

// Labels are ascending, so the old ones come first.
struct LabelRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // one past the last
  bool holds(std::uint32_t label) const { return label >= first && label < last; }
};

// The weight of a sample of an old and of a novel class in the matching.
struct Worth {
  std::int64_t old = 1;
  std::int64_t novel = 1;
};

// Matches the kept clusters to the labels of the range. Labels below `old_labels` are old.
StandsFor match_range(const Contingency& table, const std::vector<char>& kept, LabelRange range,
                      std::uint32_t old_labels, Worth worth, MatchTable shape,
                      const std::stop_token& stop) {
  std::vector<std::uint32_t> clusters;  // of each row
  std::vector<std::uint32_t> row_of(table.clusters.size(), 0);
  for (std::uint32_t c = 0; c < table.clusters.size(); ++c) {
    if (!kept[c]) continue;
    row_of[c] = static_cast<std::uint32_t>(clusters.size());
    clusters.push_back(c);
  }
  math::WeightTable weights{clusters.size(), range.last - range.first, {}};
  if (shape == MatchTable::square)
    weights.rows = weights.columns = std::max(weights.rows, weights.columns);
  for (const Contingency::Entry& entry : table.entries) {
    if (!kept[entry.cluster] || !range.holds(entry.label)) continue;
    weights.cells.push_back({row_of[entry.cluster], entry.label - range.first,
                             entry.count * (entry.label < old_labels ? worth.old : worth.novel)});
  }
  const math::Matching matching = math::match(weights, stop);
  StandsFor stands_for(table.clusters.size(), math::kUnmatched);
  for (const math::WeightTable::Cell& cell : weights.cells) {
    if (matching.column_of_row[cell.row] != cell.column) continue;
    stands_for[clusters[cell.row]] = cell.column + range.first;
  }
  return stands_for;
}

std::int64_t old_samples_right(const Contingency& table, const StandsFor& stands_for,
                               std::uint32_t old_labels) {
  std::int64_t right = 0;
  for (const Contingency::Entry& entry : table.entries) {
    if (entry.label < old_labels && stands_for[entry.cluster] == entry.label) right += entry.count;
  }
  return right;
}

}  // namespace

Protocols apply_protocols(const Contingency& table, std::int64_t known_classes, Keep keep,
                          MatchTable shape, std::stop_token stop) {
  const auto boundary = std::lower_bound(table.labels.begin(), table.labels.end(), known_classes);
  const auto old_labels = static_cast<std::uint32_t>(boundary - table.labels.begin());
  const auto labels = static_cast<std::uint32_t>(table.labels.size());
  Protocols result;
  result.kept = kept_clusters(table, keep);
  const LabelRange everything{0, labels};
  result.strict = match_range(table, result.kept, everything, old_labels, {}, shape, stop);
  result.greedy_old = match_range(table, result.kept, {0, old_labels}, old_labels, {}, shape, stop);
  result.greedy_novel =
      match_range(table, result.kept, {old_labels, labels}, old_labels, {}, shape, stop);

  result.fewest_old = result.most_old = old_samples_right(table, result.strict, old_labels);
  if (old_labels == 0 || old_labels == labels) return result;
  // One more right sample outweighs any number of samples that only change sides.
  const std::int64_t sample = table.samples + 1;
  assert(table.samples < (std::int64_t{1} << 28) && "weights must stay below kLargestWeight");
  const auto old_right = [&](Worth worth) {
    return old_samples_right(
        table, match_range(table, result.kept, everything, old_labels, worth, shape, stop),
        old_labels);
  };
  result.fewest_old = old_right({sample, sample + 1});
  result.most_old = old_right({sample + 1, sample});
  return result;
}

}  // namespace paco::evaluate
