// Counts, NMI and ARI against values that can be worked out on paper.
#include "evaluate/contingency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "evaluate/evaluation.hpp"

namespace paco::evaluate {
namespace {

using ::testing::ElementsAre;
using Ids = std::vector<std::int64_t>;

TEST(Contingency, CountsPairsAndLeavesOutUnknownTruth) {
  const Contingency table = count_pairs(Ids{7, 2, 7, 7, 9}, Ids{0, 5, 0, 5, io::kNoTruth});
  EXPECT_EQ(table.samples, 4);
  EXPECT_THAT(table.clusters, ElementsAre(2, 7));
  EXPECT_THAT(table.labels, ElementsAre(0, 5));
  EXPECT_THAT(table.cluster_sizes, ElementsAre(1, 3));
  EXPECT_THAT(table.label_sizes, ElementsAre(2, 2));
  ASSERT_EQ(table.entries.size(), 3u);
  EXPECT_EQ(table.entries[1].cluster, 1u);
  EXPECT_EQ(table.entries[1].label, 0u);
  EXPECT_EQ(table.entries[1].count, 2);
}

TEST(Contingency, EqualGroupingsUnderOtherIdsAgreeFully) {
  const Contingency table = count_pairs(Ids{4, 4, 8, 9}, Ids{1, 1, 0, 2});
  EXPECT_DOUBLE_EQ(normalised_mutual_information(table).value(), 1.0);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(table).value(), 1.0);
}

TEST(Contingency, IndependentGroupingsShareNoInformation) {
  const Contingency table = count_pairs(Ids{0, 0, 1, 1}, Ids{0, 1, 0, 1});
  EXPECT_NEAR(normalised_mutual_information(table).value(), 0.0, 1e-15);
  // No pair is together in both, 2/3 of a pair is expected, at most 2: (0 - 2/3) / (2 - 2/3).
  EXPECT_NEAR(adjusted_rand_index(table).value(), -0.5, 1e-15);
}

TEST(Contingency, SplittingOneClassOfTwoCostsAsMuchAsPaperSays) {
  const Contingency table = count_pairs(Ids{0, 0, 1, 2}, Ids{0, 0, 1, 1});
  // Information log 2, entropies 1.5 log 2 and log 2.
  EXPECT_NEAR(normalised_mutual_information(table).value(), 0.8, 1e-15);
  // Pairs: 1 together, 1 in clusters, 2 in classes, 6 in all.
  EXPECT_NEAR(adjusted_rand_index(table).value(), (1 - 2.0 / 6) / (1.5 - 2.0 / 6), 1e-15);
}

TEST(Contingency, OneClusterOverManyClassesKnowsNothing) {
  const Contingency table = count_pairs(Ids{3, 3, 3}, Ids{0, 1, 2});
  EXPECT_NEAR(normalised_mutual_information(table).value(), 0.0, 1e-15);
  EXPECT_NEAR(adjusted_rand_index(table).value(), 0.0, 1e-15);
}

TEST(Contingency, TrivialGroupingsThatAreEqualAgree) {
  const Contingency one_group = count_pairs(Ids{3, 3, 3}, Ids{1, 1, 1});
  EXPECT_EQ(normalised_mutual_information(one_group), 1.0);
  EXPECT_EQ(adjusted_rand_index(one_group), 1.0);
  const Contingency one_sample = count_pairs(Ids{3}, Ids{1});
  EXPECT_EQ(normalised_mutual_information(one_sample), 1.0);
  EXPECT_EQ(adjusted_rand_index(one_sample), 1.0);
  const Contingency all_alone = count_pairs(Ids{0, 1, 2}, Ids{5, 4, 3});
  EXPECT_DOUBLE_EQ(normalised_mutual_information(all_alone).value(), 1.0);
  EXPECT_EQ(adjusted_rand_index(all_alone), 1.0);
}

TEST(Contingency, WithoutTruthThereIsNoAgreement) {
  const Contingency table = count_pairs(Ids{0, 1}, Ids{io::kNoTruth, io::kNoTruth});
  EXPECT_EQ(normalised_mutual_information(table), std::nullopt);
  EXPECT_EQ(adjusted_rand_index(table), std::nullopt);
}

TEST(Contingency, CountsMorePairsThanItSortsAtOnceAsAMapDoes) {
  std::mt19937 random(3);
  for (const unsigned classes : {3U, 1000U}) {  // few pairs, and more than are sorted at once
    SCOPED_TRACE(classes);
    std::vector<CategoryId> predicted;
    std::vector<std::int64_t> truth;
    std::map<std::pair<CategoryId, std::int64_t>, std::int64_t> expected;
    for (int i = 0; i < 200'000; ++i) {
      predicted.push_back(random() % classes);
      truth.push_back(static_cast<std::int64_t>(random() % classes) - 1);
      if (truth.back() != io::kNoTruth) ++expected[{predicted.back(), truth.back()}];
    }
    const Contingency table = count_pairs(predicted, truth);
    ASSERT_EQ(table.entries.size(), expected.size());
    auto next = expected.begin();
    for (const Contingency::Entry& entry : table.entries) {
      ASSERT_EQ(table.clusters[entry.cluster], next->first.first);
      ASSERT_EQ(table.labels[entry.label], next->first.second);
      ASSERT_EQ(entry.count, next->second);
      ++next;
    }
  }
}

}  // namespace
}  // namespace paco::evaluate
