// Support sets and streams at the edge of what makes sense: mirror works on them, in both forms
// alike, or says why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mirror_case.hpp"
#include "sanitized.hpp"

namespace paco::testing {
namespace {

using ::testing::HasSubstr;

void expect_both_alike(const std::shared_ptr<const methods::MirrorModel>& model,
                       Rows<const double> stream) {
  methods::MirrorPlain plain(model);
  methods::MirrorEngine engine(model);
  EXPECT_TRUE(same_runs(run_mirror(plain, stream, 50), run_mirror(engine, stream, 50)));
  EXPECT_EQ(plain.save(), engine.save());
}

TEST(MirrorCorners, MoreDimensionsThanSamples) {
  MadePlan plan;
  plan.dimension = 150;
  plan.per_class = 3;
  const SyntheticData data = make_data(plan, 1);
  expect_both_alike(mirror_model(data.support, data.labels, {}), data.stream);
}

TEST(MirrorCorners, SamplesOfAClassThatAreAllTheSame) {
  // Nothing varies within classes: the embedding is the standardised one.
  SyntheticData data = make_data({}, 2);
  for (std::size_t i = 0; i < data.support.rows(); ++i) {
    for (std::size_t j = 0; j < data.support.columns(); ++j)
      data.support[i][j] = static_cast<double>((data.labels[i] * 7 + 3 * j) % 5);
  }
  const auto model = mirror_model(data.support, data.labels, {});
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->embedding.whitening.rows(), 0u);
  EXPECT_NEAR(model->rho, 1, 1e-6);
  expect_both_alike(model, data.stream);
}

TEST(MirrorCorners, ADimensionThatNeverVaries) {
  SyntheticData data = make_data({}, 3);
  for (std::size_t i = 0; i < data.support.rows(); ++i) data.support[i][4] = 1;
  for (std::size_t i = 0; i < data.stream.rows(); ++i) data.stream[i][4] = 1;
  const auto model = mirror_model(data.support, data.labels, {});
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->embedding.rank, 11u);
  expect_both_alike(model, data.stream);
}

TEST(MirrorCorners, ThreeClassesOfOneTwoAndTwoSamples) {
  const SyntheticData data = make_data({}, 4);
  math::Matrix<double> support(5, data.support.columns());
  for (std::size_t i = 0; i < 5; ++i)
    std::copy_n(data.support[i].data(), support.columns(), support[i].data());
  expect_both_alike(mirror_model(support, std::vector<std::int64_t>{0, 1, 1, 2, 2}, {}),
                    data.stream);
}

TEST(MirrorCorners, OneSampleAllOverTheStream) {
  const SyntheticData data = make_data({}, 5);
  math::Matrix<double> stream(120, data.stream.columns());
  for (std::size_t i = 0; i < stream.rows(); ++i)
    std::copy_n(data.stream[7].data(), stream.columns(), stream[i].data());
  expect_both_alike(mirror_model(data.support, data.labels, {}), stream);
}

TEST(MirrorCorners, ThousandsOfClasses) {
  core::Random random(6);
  constexpr std::size_t kClasses = PACO_SANITIZED ? 2000 : 10000;
  math::Matrix<double> support(kClasses + 500, 8);
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < support.rows(); ++i) {
    labels.push_back(static_cast<std::int64_t>(i % kClasses));
    for (double& x : support[i]) x = random.normal();
  }
  methods::MirrorOptions options;
  options.splits = 2;
  const auto model = mirror_model(support, labels, options);
  ASSERT_NE(model, nullptr);
  math::Matrix<double> stream(30, 8);
  for (std::size_t i = 0; i < 30 * 8; ++i) stream.data()[i] = random.normal();
  expect_both_alike(model, stream);
}

TEST(MirrorCorners, RowsThatCannotBeDecidedAreRefusedByNumberAndNothingIsDecided) {
  const SyntheticData data = make_data({}, 7);
  const auto model = mirror_model(data.support, data.labels, {});
  methods::MirrorEngine engine(model);
  run_mirror(engine, data.stream.view().slice(0, 10), 10);
  const methods::MirrorState before = engine.save();
  math::Matrix<double> bad = data.stream;
  bad[2][0] = std::numeric_limits<double>::infinity();
  std::vector<methods::MirrorDecision> decisions(bad.rows());
  std::vector<methods::MirrorBirth> births;
  auto done = engine.decide_block(bad, decisions, births);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("row 12 has inf at column 0"));
  EXPECT_EQ(engine.save(), before);
  done =
      engine.decide_block(math::Matrix<double>(3, 5), std::span(decisions).subspan(0, 3), births);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("embeddings have 5 columns, the model expects 12"));
  done = engine.decide_block(data.stream, std::span(decisions).subspan(0, 3), births);
  ASSERT_FALSE(done.ok());
}

TEST(MirrorCorners, OperationsOnWhatDoesNotExistAreRefused) {
  const SyntheticData data = make_data({}, 8);
  methods::MirrorEngine engine(mirror_model(data.support, data.labels, {}));
  run_mirror(engine, data.stream, 50);
  EXPECT_THAT(engine.set_competing(9999, false).error().message,
              HasSubstr("there is no prototype 9999"));
  EXPECT_THAT(engine.set_category(0, 9999).error().message, HasSubstr("there is no category 9999"));
  const std::vector<float> v(12, 0.5f);
  const methods::MirrorPlace here{0, true}, there{1, true}, nowhere{9999, false};
  EXPECT_THAT(engine.move(9999, v, here, there, {}).error().message,
              HasSubstr("no sample 9999 yet"));
  EXPECT_THAT(engine.move(1, v, here, nowhere, {}).error().message, HasSubstr("no prototype 9999"));
  EXPECT_FALSE(engine.move(1, std::span(v).first(3), here, there, {}).ok());
  EXPECT_FALSE(engine.fix(0, v, {}).ok());
  EXPECT_FALSE(engine.fix(9999, v, {}).ok());
  EXPECT_FALSE(engine.loosen(0).ok());
}

TEST(MirrorCorners, AMoveCanFoundANewCategory) {
  const SyntheticData data = make_data({}, 9);
  methods::MirrorEngine engine(mirror_model(data.support, data.labels, {}));
  run_mirror(engine, data.stream, 50);
  const auto embedded = engine.embed(data.stream);
  ASSERT_TRUE(embedded.ok());
  const std::size_t last = data.stream.rows() - 1;
  const std::int64_t number = engine.next_prototype(), category = engine.save().next_category;
  engine.reserve(number + 1, category + 1);
  const auto moved =
      engine.move(last, (*embedded)[last], *engine.place(last), {number, false}, {category, true});
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_EQ(engine.facts(number)->category, category);
  // The same sample again is now answered with it.
  EXPECT_EQ(run_mirror(engine, data.stream.view().slice(last, 1), 1).decisions[0].category,
            category);
}

}  // namespace
}  // namespace paco::testing
