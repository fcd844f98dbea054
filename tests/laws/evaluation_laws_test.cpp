// What holds for every stream: properties of the protocols over random predictions and truths.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "core/random.hpp"
#include "evaluate/evaluation.hpp"

namespace paco {
namespace {

using Ids = std::vector<std::int64_t>;

struct Stream {
  Ids predicted, truth;
  std::int64_t known = 0;
};

// Predictions between perfect and arbitrary, some truth missing, up to a dozen classes.
Stream random_stream(std::uint64_t seed) {
  core::Random random(seed);
  Stream stream;
  const std::uint64_t classes = 1 + random.below(12), clusters = 1 + random.below(20);
  const double right = random.uniform(), missing = random.below(2) ? 0.3 : 0.0;
  const std::size_t samples = 1 + random.below(150);
  stream.known = static_cast<std::int64_t>(random.below(classes + 1));
  for (std::size_t i = 0; i < samples; ++i) {
    const std::uint64_t label = random.below(classes);
    const bool follows = random.uniform() < right;
    stream.predicted.push_back(static_cast<std::int64_t>(follows ? label : random.below(clusters)));
    const bool unknown = i > 0 && random.uniform() < missing;
    stream.truth.push_back(unknown ? io::kNoTruth : static_cast<std::int64_t>(label));
  }
  return stream;
}

evaluate::Evaluation judged(const Stream& stream, evaluate::Keep keep) {
  evaluate::EvaluationInput input;
  input.predicted = stream.predicted;
  input.truth = stream.truth;
  input.known_classes = stream.known;
  evaluate::EvaluationOptions options;
  options.keep = keep;
  options.resamples = 0;
  auto result = evaluate::evaluate(input, options);
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

constexpr std::uint64_t kStreams = 400;

TEST(EvaluationLaws, GreedyIsNeverBelowStrict) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    for (const evaluate::Keep keep : {evaluate::Keep::top, evaluate::Keep::all}) {
      const evaluate::Scores scores = judged(random_stream(seed), keep).scores;
      EXPECT_GE(scores.greedy.old.correct, scores.strict.old.correct) << "seed " << seed;
      EXPECT_GE(scores.greedy.novel.correct, scores.strict.novel.correct) << "seed " << seed;
      EXPECT_GE(scores.greedy.all.correct, scores.strict.all.correct) << "seed " << seed;
    }
  }
}

TEST(EvaluationLaws, KeepingAllClustersIsNeverWorse) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    const evaluate::Scores top = judged(random_stream(seed), evaluate::Keep::top).scores;
    const evaluate::Scores all = judged(random_stream(seed), evaluate::Keep::all).scores;
    EXPECT_LE(top.strict.all.correct, all.strict.all.correct) << "seed " << seed;
    EXPECT_LE(top.greedy.old.correct, all.greedy.old.correct) << "seed " << seed;
    EXPECT_LE(top.greedy.novel.correct, all.greedy.novel.correct) << "seed " << seed;
  }
}

TEST(EvaluationLaws, ThePartsMakeTheWhole) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    const evaluate::Evaluation evaluation = judged(random_stream(seed), evaluate::Keep::top);
    for (const evaluate::SplitAccuracy& split :
         {evaluation.scores.strict, evaluation.scores.greedy}) {
      EXPECT_EQ(split.all.correct, split.old.correct + split.novel.correct) << "seed " << seed;
      EXPECT_EQ(split.all.samples, split.old.samples + split.novel.samples) << "seed " << seed;
    }
    std::int64_t samples = 0, strict = 0, greedy = 0;
    for (const evaluate::ClassScore& score : evaluation.classes) {
      samples += score.samples;
      strict += score.strict_correct;
      greedy += score.greedy_correct;
    }
    EXPECT_EQ(samples, evaluation.samples_with_truth) << "seed " << seed;
    EXPECT_EQ(strict, evaluation.scores.strict.all.correct) << "seed " << seed;
    EXPECT_EQ(greedy, evaluation.scores.greedy.all.correct) << "seed " << seed;
  }
}

// Renaming reverses the order of the clusters. Where Keep::top cuts between clusters of equal size
// the lower id stays, so the law is about Keep::all; and of the old and novel share only the ends
// over equally good matchings are fixed.
TEST(EvaluationLaws, RenamingClustersChangesNothing) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    const Stream stream = random_stream(seed);
    Stream renamed = stream;
    for (std::int64_t& id : renamed.predicted) id = 1000 - 7 * id;
    const evaluate::Scores before = judged(stream, evaluate::Keep::all).scores;
    const evaluate::Scores after = judged(renamed, evaluate::Keep::all).scores;
    EXPECT_EQ(before.strict.all.correct, after.strict.all.correct) << "seed " << seed;
    EXPECT_EQ(before.greedy.old.correct, after.greedy.old.correct) << "seed " << seed;
    EXPECT_EQ(before.greedy.novel.correct, after.greedy.novel.correct) << "seed " << seed;
    ASSERT_EQ(before.strict_old_ties.has_value(), after.strict_old_ties.has_value());
    if (before.strict_old_ties) {
      EXPECT_EQ(before.strict_old_ties->low, after.strict_old_ties->low) << "seed " << seed;
      EXPECT_EQ(before.strict_old_ties->high, after.strict_old_ties->high) << "seed " << seed;
    }
    EXPECT_NEAR(*before.nmi, *after.nmi, 1e-12) << "seed " << seed;
    EXPECT_NEAR(*before.ari, *after.ari, 1e-12) << "seed " << seed;
  }
}

TEST(EvaluationLaws, TheTakenMatchingLiesBetweenTheEndsOfItsTies) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    const evaluate::Scores scores = judged(random_stream(seed), evaluate::Keep::top).scores;
    if (!scores.strict_old_ties) continue;
    EXPECT_LE(scores.strict_old_ties->low, *scores.strict.old.value()) << "seed " << seed;
    EXPECT_GE(scores.strict_old_ties->high, *scores.strict.old.value()) << "seed " << seed;
  }
}

TEST(EvaluationLaws, PerfectPredictionsScoreOne) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    Stream stream = random_stream(seed);
    for (std::size_t i = 0; i < stream.truth.size(); ++i) {
      // Novel classes may go by any other id.
      const std::int64_t label = stream.truth[i];
      if (label == io::kNoTruth) continue;
      stream.predicted[i] = label < stream.known ? label : 500 - label;
    }
    // Samples without truth say nothing.
    const evaluate::Scores scores = judged(stream, evaluate::Keep::top).scores;
    EXPECT_EQ(scores.strict.all.value(), 1.0) << "seed " << seed;
    EXPECT_EQ(scores.greedy.all.value(), 1.0) << "seed " << seed;
    EXPECT_EQ(scores.known_accuracy.correct, scores.known_accuracy.samples) << "seed " << seed;
    EXPECT_NEAR(*scores.nmi, 1.0, 1e-12) << "seed " << seed;
    EXPECT_NEAR(*scores.ari, 1.0, 1e-12) << "seed " << seed;
  }
}

// Straight from the definition: every pair of samples, together or apart.
double ari_by_pairs(const Ids& a, const Ids& b) {
  double both = 0, in_a = 0, in_b = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      ++all;
      in_a += a[i] == a[j];
      in_b += b[i] == b[j];
      both += a[i] == a[j] && b[i] == b[j];
    }
  }
  const double expected = all > 0 ? in_a * in_b / all : 0;
  const double largest = (in_a + in_b) / 2;
  return largest == expected ? 1 : (both - expected) / (largest - expected);
}

double entropy_of(const std::map<std::pair<std::int64_t, std::int64_t>, double>& counts, double n) {
  double sum = 0;
  for (const auto& [key, count] : counts) sum -= count / n * std::log(count / n);
  return sum;
}

// From entropies: I(a, b) = H(a) + H(b) - H(a, b).
double nmi_by_entropies(const Ids& a, const Ids& b) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> of_a, of_b, of_both;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ++of_a[{a[i], 0}];
    ++of_b[{b[i], 0}];
    ++of_both[{a[i], b[i]}];
  }
  const auto n = static_cast<double>(a.size());
  const double mean = (entropy_of(of_a, n) + entropy_of(of_b, n)) / 2;
  return mean == 0 ? 1 : (2 * mean - entropy_of(of_both, n)) / mean;
}

TEST(EvaluationLaws, AgreementEqualsItsDefinition) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    const Stream stream = random_stream(seed);
    Ids predicted, truth;
    for (std::size_t i = 0; i < stream.truth.size(); ++i) {
      if (stream.truth[i] == io::kNoTruth) continue;
      predicted.push_back(stream.predicted[i]);
      truth.push_back(stream.truth[i]);
    }
    const evaluate::Scores scores = judged(stream, evaluate::Keep::top).scores;
    EXPECT_NEAR(*scores.ari, ari_by_pairs(predicted, truth), 1e-10) << "seed " << seed;
    EXPECT_NEAR(*scores.nmi, nmi_by_entropies(predicted, truth), 1e-10) << "seed " << seed;
  }
}

TEST(EvaluationLaws, SamplesWithoutTruthChangeNoShare) {
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    const Stream stream = random_stream(seed);
    Stream judged_only;
    judged_only.known = stream.known;
    for (std::size_t i = 0; i < stream.truth.size(); ++i) {
      if (stream.truth[i] == io::kNoTruth) continue;
      judged_only.predicted.push_back(stream.predicted[i]);
      judged_only.truth.push_back(stream.truth[i]);
    }
    const evaluate::Scores some = judged(stream, evaluate::Keep::top).scores;
    const evaluate::Scores only = judged(judged_only, evaluate::Keep::top).scores;
    EXPECT_EQ(some.strict.old.correct, only.strict.old.correct) << "seed " << seed;
    EXPECT_EQ(some.strict.all.value(), only.strict.all.value()) << "seed " << seed;
    EXPECT_EQ(some.greedy.all.value(), only.greedy.all.value()) << "seed " << seed;
    EXPECT_EQ(some.nmi, only.nmi) << "seed " << seed;
  }
}

}  // namespace
}  // namespace paco
