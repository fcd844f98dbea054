// Counts by sorting, about ten thousand samples at a time. Memory grows with the number of pairs
// that occur, not with the samples or with clusters times classes.
#include "evaluate/contingency.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "evaluate/evaluation.hpp"
#include "math/logarithm.hpp"

namespace paco::evaluate {
namespace {

template <class Id>
std::vector<Id> distinct(std::vector<Id> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

template <class Id>
std::uint32_t index_of(const std::vector<Id>& ids, Id id) {
  return static_cast<std::uint32_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
}

using Pair = std::pair<CategoryId, std::int64_t>;  // cluster, label

struct CountedPair {
  Pair pair;
  std::int64_t count = 0;
};

constexpr std::size_t kFewPairs = std::size_t{1} << 16;

// Adds the waiting pairs to the counted pairs, which are in order, and clears the waiting pairs.
void count_into(std::vector<CountedPair>& counted, std::vector<Pair>& waiting) {
  std::sort(waiting.begin(), waiting.end());
  std::vector<CountedPair> merged;
  merged.reserve(counted.size());
  auto old = counted.begin();
  for (std::size_t first = 0; first < waiting.size();) {
    const Pair pair = waiting[first];
    std::size_t last = first;
    while (last < waiting.size() && waiting[last] == pair) ++last;
    for (; old != counted.end() && old->pair < pair; ++old) merged.push_back(*old);
    merged.push_back({pair, static_cast<std::int64_t>(last - first)});
    if (old != counted.end() && old->pair == pair) merged.back().count += (old++)->count;
    first = last;
  }
  merged.insert(merged.end(), old, counted.end());
  counted = std::move(merged);
  waiting.clear();
}

double entropy(const std::vector<std::int64_t>& sizes, double samples) {
  double sum = 0;
  for (const std::int64_t size : sizes) {
    const double share = static_cast<double>(size) / samples;
    sum -= share * math::exact_log(share);
  }
  return sum;
}

double pairs(std::int64_t n) { return 0.5 * static_cast<double>(n) * static_cast<double>(n - 1); }

double pairs_within(const std::vector<std::int64_t>& sizes) {
  double sum = 0;
  for (const std::int64_t size : sizes) sum += pairs(size);
  return sum;
}

}  // namespace

Contingency count_pairs(std::span<const CategoryId> predicted,
                        std::span<const std::int64_t> truth) {
  assert(predicted.size() == truth.size());
  std::vector<CountedPair> counted;
  std::vector<Pair> waiting;
  Contingency table;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == io::kNoTruth) continue;
    ++table.samples;
    waiting.emplace_back(predicted[i], truth[i]);
    // Wait for as many pairs as are already counted, so that merging stays cheap.
    if (waiting.size() >= std::max(kFewPairs, counted.size())) count_into(counted, waiting);
  }
  count_into(counted, waiting);

  std::vector<std::int64_t> labels;
  labels.reserve(counted.size());
  for (const CountedPair& entry : counted) labels.push_back(entry.pair.second);
  table.labels = distinct(std::move(labels));
  table.label_sizes.assign(table.labels.size(), 0);
  for (const CountedPair& entry : counted) {
    const auto [cluster, label] = entry.pair;
    if (table.clusters.empty() || table.clusters.back() != cluster) {
      table.clusters.push_back(cluster);
      table.cluster_sizes.push_back(0);
    }
    const std::uint32_t label_index = index_of(table.labels, label);
    table.cluster_sizes.back() += entry.count;
    table.label_sizes[label_index] += entry.count;
    table.entries.push_back(
        {static_cast<std::uint32_t>(table.clusters.size() - 1), label_index, entry.count});
  }
  return table;
}

std::optional<double> normalised_mutual_information(const Contingency& table) {
  if (table.samples == 0) return std::nullopt;
  if (table.clusters.size() == 1 && table.labels.size() == 1) return 1.0;
  const auto n = static_cast<double>(table.samples);
  double information = 0;
  for (const Contingency::Entry& entry : table.entries) {
    const auto count = static_cast<double>(entry.count);
    const double expected = static_cast<double>(table.cluster_sizes[entry.cluster]) *
                            static_cast<double>(table.label_sizes[entry.label]);
    information += count / n * math::exact_log(count * n / expected);
  }
  const double mean = 0.5 * (entropy(table.cluster_sizes, n) + entropy(table.label_sizes, n));
  // Rounding can leave the result slightly outside of the range.
  return std::clamp(information / mean, 0.0, 1.0);
}

std::optional<double> adjusted_rand_index(const Contingency& table) {
  if (table.samples == 0) return std::nullopt;
  double together = 0;
  for (const Contingency::Entry& entry : table.entries) together += pairs(entry.count);
  const double in_clusters = pairs_within(table.cluster_sizes);
  const double in_labels = pairs_within(table.label_sizes);
  const double largest = 0.5 * (in_clusters + in_labels);
  // One sample, all samples alone in both, or one group in both: no pair can differ.
  const double all = pairs(table.samples);
  if (all == 0) return 1.0;
  const double expected = in_clusters * in_labels / all;
  if (largest == expected) return 1.0;
  return (together - expected) / (largest - expected);
}

}  // namespace paco::evaluate
