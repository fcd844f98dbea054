// Protocols on streams small enough to check by eye, and every odd input: a defined result or an
// error that says what to do.
#include "evaluate/evaluation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random.hpp"

namespace paco::evaluate {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<std::int64_t>;

EvaluationOptions quick(Keep keep = Keep::top) {
  EvaluationOptions options;
  options.keep = keep;
  options.resamples = 0;
  return options;
}

Result<Evaluation> run(const Ids& predicted, const Ids& truth, std::int64_t known,
                       const EvaluationOptions& options = quick(), const Ids& closed = {}) {
  EvaluationInput input;
  input.predicted = predicted;
  input.truth = truth;
  input.known_classes = known;
  input.closed = closed;
  return evaluate(input, options);
}

void expect_share(const Accuracy& accuracy, std::int64_t correct, std::int64_t samples) {
  EXPECT_EQ(accuracy.correct, correct);
  EXPECT_EQ(accuracy.samples, samples);
}

// Cluster 0 holds two samples of old class 0 and three of novel class 2; category 2 holds one of
// each of class 1 and 2.
const Ids kPredicted = {0, 0, 0, 0, 0, 2, 2};
const Ids kTruth = {0, 0, 2, 2, 2, 1, 2};

TEST(Evaluate, StrictMatchesOnceAndGreedyTwice) {
  const auto result = run(kPredicted, kTruth, 2);
  ASSERT_TRUE(result.ok());
  const Scores& scores = result->scores;
  expect_share(scores.strict.all, 4, 7);  // cluster 0 is class 2, category 2 is class 1
  expect_share(scores.strict.old, 1, 3);
  expect_share(scores.strict.novel, 3, 4);
  expect_share(scores.greedy.old, 3, 3);  // cluster 0 is also class 0
  expect_share(scores.greedy.novel, 3, 4);
  expect_share(scores.greedy.all, 6, 7);
  expect_share(scores.known_accuracy, 2, 3);
}

TEST(Evaluate, CountsOldSamplesThatNoKnownClassAnswers) {
  // Of the old samples one went to another known class, which is wrong but not new.
  const auto result = run({0, 1, 2, 3, 3, 0}, {0, 0, 0, 1, 2, 2}, 2);
  ASSERT_TRUE(result.ok());
  expect_share(result->scores.false_new, 2, 4);
}

TEST(Evaluate, CountsClustersCategoriesAndClasses) {
  const auto result = run(kPredicted, kTruth, 2);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->scores.clusters_seen, 2);
  EXPECT_EQ(result->scores.memory_size, 3);  // two known classes and one category
  EXPECT_EQ(result->true_classes, 3);
  EXPECT_EQ(result->true_novel_classes, 1);
}

TEST(Evaluate, KeepTopCutsSmallClustersAndLeavesTheirSamplesWrong) {
  // Two classes, so two clusters are kept: 0 and, of 1 and 2 of equal size, the lower id.
  const Ids predicted = {0, 0, 0, 1, 1, 2, 2}, truth = {0, 0, 0, 0, 0, 1, 1};
  const auto top = run(predicted, truth, 1);
  ASSERT_TRUE(top.ok());
  expect_share(top->scores.strict.all, 3, 7);
  expect_share(top->scores.strict.novel, 0, 2);
  EXPECT_EQ(top->scores.clusters_kept, 2);
  const auto all = run(predicted, truth, 1, quick(Keep::all));
  ASSERT_TRUE(all.ok());
  expect_share(all->scores.strict.all, 5, 7);
  EXPECT_EQ(all->scores.clusters_kept, 3);
}

TEST(Evaluate, TellsHowFarEquallyGoodMatchingsDiffer) {
  // One cluster with as many samples of the old as of the novel class: either may have it.
  const auto result = run({0, 0}, {0, 1}, 1);
  ASSERT_TRUE(result.ok());
  expect_share(result->scores.strict.all, 1, 2);
  EXPECT_EQ(result->scores.strict_old_ties->low, 0.0);
  EXPECT_EQ(result->scores.strict_old_ties->high, 1.0);
  EXPECT_EQ(result->scores.strict_novel_ties->low, 0.0);
  EXPECT_EQ(result->scores.strict_novel_ties->high, 1.0);
}

TEST(Evaluate, SamplesWithoutTruthAreCountedButNotJudged) {
  const auto result = run({0, 5, 6, 0}, {0, io::kNoTruth, 3, io::kNoTruth}, 2);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->samples, 4);
  EXPECT_EQ(result->samples_with_truth, 2);
  expect_share(result->scores.strict.all, 2, 2);
  EXPECT_EQ(result->scores.clusters_seen, 3);
  EXPECT_EQ(result->scores.memory_size, 4);
}

TEST(Evaluate, TheClosedSetRowIsJudgedByTheSameProtocols) {
  const auto result = run({0, 2, 2}, {0, 2, 2}, 2, quick(), {0, 0, 1});
  ASSERT_TRUE(result.ok());
  expect_share(result->scores.strict.all, 3, 3);
  ASSERT_TRUE(result->closed.has_value());
  expect_share(result->closed->known_accuracy, 1, 1);
  expect_share(result->closed->strict.all, 2, 3);
  EXPECT_EQ(result->closed->memory_size, 2);
}

TEST(Evaluate, ListsEachClassWithItsCluster) {
  const auto result = run(kPredicted, kTruth, 2);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->classes.size(), 3u);
  const ClassScore& novel = result->classes[2];
  EXPECT_EQ(novel.label, 2);
  EXPECT_EQ(novel.name, "class 2");
  EXPECT_FALSE(novel.known);
  EXPECT_EQ(novel.samples, 4);
  EXPECT_EQ(novel.strict_correct, 3);
  EXPECT_EQ(novel.cluster, 0);
  EXPECT_EQ(novel.cluster_samples, 5);
  EXPECT_EQ(novel.clusters, 2);
  EXPECT_EQ(result->classes[0].cluster, std::nullopt);
  EXPECT_EQ(result->classes[0].greedy_correct, 2);
}

TEST(Evaluate, ListsWhereSamplesWentInsteadMostFirst) {
  EvaluationInput input;
  input.predicted = kPredicted;
  input.truth = kTruth;
  input.known_classes = 2;
  const std::vector<std::string> names = {"robin", "wren", "owl"};
  input.class_names = names;
  const auto result = evaluate(input, quick());
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->confused.size(), 2u);
  EXPECT_EQ(result->confused[0].name, "robin");
  EXPECT_EQ(result->confused[0].cluster_name, "robin");
  EXPECT_EQ(result->confused[0].stands_for_name, "owl");
  EXPECT_EQ(result->confused[0].samples, 2);
  EXPECT_EQ(result->confused[0].class_samples, 2);
  EXPECT_EQ(result->confused[1].cluster_name, "category 2");
  EXPECT_EQ(result->confused[1].stands_for, 1);
}

TEST(Evaluate, FollowsBirthsOverTheStream) {
  const auto result = run({0, 4, 4, 5, 0}, {3, 3, 0, 2, 2}, 2);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->births.size(), 3u);
  EXPECT_EQ(result->births[0].sequence, 0u);  // a novel class came, no category was born
  EXPECT_EQ(result->births[0].categories, 0);
  EXPECT_EQ(result->births[0].novel_classes, 1);
  EXPECT_EQ(result->births[1].categories, 1);
  EXPECT_EQ(result->births[2].sequence, 3u);
  EXPECT_EQ(result->births[2].categories, 2);
  EXPECT_EQ(result->births[2].novel_classes, 2);
}

TEST(EvaluateOddInput, NoNovelClassLeavesTheNovelShareUndefined) {
  const auto result = run({0, 1, 5}, {0, 1, 1}, 2);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->scores.strict.novel.value(), std::nullopt);
  EXPECT_EQ(result->scores.greedy.novel.value(), std::nullopt);
  EXPECT_FALSE(result->scores.strict_novel_ties.has_value());
  expect_share(result->scores.strict.old, 2, 3);
}

TEST(EvaluateOddInput, NoKnownClassLeavesTheOldSharesUndefined) {
  const auto result = run({0, 1, 1}, {0, 1, 1}, 0);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->scores.strict.old.value(), std::nullopt);
  EXPECT_EQ(result->scores.known_accuracy.value(), std::nullopt);
  expect_share(result->scores.strict.novel, 3, 3);
}

TEST(EvaluateOddInput, OneClusterStandsForItsLargestClass) {
  const auto result = run({4, 4, 4}, {0, 1, 1}, 1);
  ASSERT_TRUE(result.ok());
  expect_share(result->scores.strict.all, 2, 3);
  expect_share(result->scores.greedy.all, 3, 3);
  EXPECT_NEAR(result->scores.nmi.value(), 0, 1e-15);
}

TEST(EvaluateOddInput, AClassWhoseClustersAreAllOutsideTheTopIsAllWrong) {
  const Ids predicted = {0, 0, 1, 1, 1, 2, 3, 4}, truth = {0, 0, 0, 0, 0, 1, 1, 1};
  const auto result = run(predicted, truth, 1);
  ASSERT_TRUE(result.ok());
  expect_share(result->scores.strict.novel, 0, 3);
  expect_share(result->scores.greedy.novel, 0, 3);
  EXPECT_EQ(result->classes[1].cluster, std::nullopt);
}

TEST(EvaluateOddInput, DifferentLengthsAreAnErrorThatNamesBoth) {
  const auto result = run({0, 1, 1}, {0, 1}, 1);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::bad_shape);
  EXPECT_THAT(result.error().message, HasSubstr("3 decisions, but 2 true labels"));
  EXPECT_FALSE(run({0, 1}, {0, 1}, 1, quick(), {0}).ok());
}

TEST(EvaluateOddInput, AnEmptyStreamIsAnError) {
  const auto result = run({}, {}, 1);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("no decision"));
}

TEST(EvaluateOddInput, AStreamWithoutTruthIsAnError) {
  const auto result = run({0, 1}, {io::kNoTruth, io::kNoTruth}, 1);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("none of the 2 decisions has a true label"));
}

TEST(EvaluateOddInput, ImpossibleIdsAreErrorsThatNameTheSample) {
  const auto prediction = run({0, -1}, {0, 0}, 1);
  ASSERT_FALSE(prediction.ok());
  EXPECT_THAT(prediction.error().message, HasSubstr("the category of sample 1 is -1"));
  const auto label = run({0, 0}, {-2, 0}, 1);
  ASSERT_FALSE(label.ok());
  EXPECT_THAT(label.error().message, HasSubstr("the true class of sample 0 is -2"));
  EXPECT_FALSE(run({0}, {0}, -1).ok());
}

TEST(EvaluateOddInput, AClosedSetRowThatDiscoversIsAnError) {
  const auto result = run({0, 3}, {0, 3}, 2, quick(), {0, 3});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("puts sample 1 into category 3"));
}

TEST(EvaluateOddInput, ThousandsOfSingletonsAreJudgedExactly) {
  // 20,000 clusters x 1,000 classes: too many cells for a dense table. Each class has 19 singletons
  // and one pair.
  Ids predicted, truth;
  for (std::int64_t i = 0; i < 20000; ++i) {
    predicted.push_back(i);
    truth.push_back(i % 1000);
    if (i < 1000) {
      predicted.push_back(i);
      truth.push_back(i);
    }
  }
  const auto result = run(predicted, truth, 500, quick(Keep::all));
  ASSERT_TRUE(result.ok());
  expect_share(result->scores.strict.all, 2000, 21000);
  expect_share(result->scores.greedy.all, 2000, 21000);
}

}  // namespace
}  // namespace paco::evaluate
