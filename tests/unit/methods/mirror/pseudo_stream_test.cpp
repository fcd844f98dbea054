// A pseudo-stream decides as the rule itself, and its score is that of the best matching.
#include "methods/mirror/pseudo_stream.hpp"

#include <gtest/gtest.h>

#include <set>

#include "methods/common/pseudo_split.hpp"
#include "mirror_case.hpp"

namespace paco::testing {
namespace {

TEST(PseudoStream, DecidesAsThePlainForm) {
  std::size_t samples = 0, different = 0;
  std::vector<double> scratch;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    MirrorCase c = mirror_case(seed);
    c.learned.options.candidates = 1000000;
    c.learned.tail = 0;  // pseudo-streams are short: they know neither tail nor floor
    c.learned.floor = -1;
    c.make_model();
    const methods::MirrorModel& model = c.learned;
    const auto decisions = decide_all(*c.plain(), c.stream, 1000);
    const methods::PseudoStream pseudo(c.embedded(), model.references);
    const auto answered = pseudo.decide(
        {model.start, model.slope, model.sure, static_cast<std::size_t>(model.options.rehearse),
         static_cast<std::size_t>(model.options.buffer)},
        scratch);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < answered.size(); ++i)
      wrong += answered[i] != static_cast<std::uint32_t>(decisions[i].category) ? 1 : 0;
    samples += answered.size();
    different += wrong;
  }
  EXPECT_EQ(different, 0u) << "of " << samples;
}

TEST(PseudoStream, AThresholdThatNothingReachesLeavesEverybodyAlone) {
  const MirrorCase c = mirror_case(3);
  const methods::PseudoStream pseudo(c.embedded(), c.learned.references);
  std::vector<double> scratch;
  const auto answered = pseudo.decide({1.5, 0.1, 0.5, 2, 100}, scratch);
  EXPECT_EQ(std::set<std::uint32_t>(answered.begin(), answered.end()).size(), answered.size());
}

TEST(StrictAll, CountsTheBestMatchingOfTheLargestClusters) {
  const std::vector<std::uint32_t> truth{0, 0, 0, 1, 1, 2};
  EXPECT_DOUBLE_EQ(methods::strict_all(truth, std::vector<std::uint32_t>{5, 5, 5, 7, 7, 9}), 1.0);
  EXPECT_DOUBLE_EQ(methods::strict_all(truth, std::vector<std::uint32_t>{5, 5, 5, 5, 5, 5}), 0.5);
  // Four clusters for three classes: the smallest with the highest id does not count.
  EXPECT_DOUBLE_EQ(methods::strict_all(truth, std::vector<std::uint32_t>{5, 5, 6, 7, 7, 9}),
                   4.0 / 6);
}

TEST(PseudoSplit, KeepsHalfOfTheClassesAndOfTheirSamples) {
  std::vector<std::uint32_t> labels;
  for (std::uint32_t k = 0; k < 9; ++k) labels.insert(labels.end(), 1 + k, k);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    core::NumpyLegacyRandom random(seed);
    const methods::PseudoSplit split = methods::draw_split(labels, 9, random);
    EXPECT_EQ(split.visible, 4u);
    EXPECT_EQ(split.references.size() + split.stream.size(), labels.size());
    std::vector<std::size_t> kept(9, 0);
    for (const std::size_t i : split.references) ++kept[labels[i]];
    for (std::uint32_t k = 0; k < 9; ++k) {
      const std::size_t size = k + 1;
      if (kept[k] == 0) continue;
      EXPECT_EQ(kept[k], size == 3 ? 2 : (size + 1) / 2) << "class " << k;
    }
    std::set<std::size_t> rows(split.references.begin(), split.references.end());
    rows.insert(split.stream.begin(), split.stream.end());
    EXPECT_EQ(rows.size(), labels.size());
  }
}

TEST(Folds, HoldOutEverySampleOnceButNeverAClassAsAWhole) {
  std::vector<std::uint32_t> labels;
  for (std::uint32_t k = 0; k < 9; ++k) labels.insert(labels.end(), 1 + k, k);
  core::NumpyLegacyRandom random(0);
  const std::vector<methods::Fold> folds = methods::draw_folds(labels, 9, random);
  std::vector<int> held_out(labels.size(), 0);
  for (const methods::Fold& fold : folds) {
    std::set<std::uint32_t> classes;
    for (const std::size_t i : fold.kept) classes.insert(labels[i]);
    EXPECT_EQ(classes.size(), 9u);
    for (const std::size_t i : fold.scored) ++held_out[i];
    EXPECT_EQ(fold.kept.size() + fold.scored.size(), labels.size());
  }
  for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(held_out[i], labels[i] == 0 ? 0 : 1);
}

}  // namespace
}  // namespace paco::testing
