// Support sets and streams at the edge of what makes sense: mirror works on them, in both forms
// alike, or says why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mirror_case.hpp"
#include "sanitized.hpp"

namespace paco::testing {
namespace {

using ::testing::HasSubstr;

// Calibrated on the support set; what was learned.
methods::MirrorModel expect_both_alike(Rows<const double> support,
                                       std::span<const std::int64_t> labels,
                                       Rows<const double> stream,
                                       const methods::MirrorOptions& options = {}) {
  const auto learned = learned_from(support, labels, options);
  const auto model = model_with(*learned, support, labels);
  const auto plain = method_for("mirror-reference", model), fast = method_for("mirror", model);
  EXPECT_TRUE(same_decisions(decide_all(*plain, stream, 50), decide_all(*fast, stream, 50)));
  EXPECT_EQ(content_of(*plain), content_of(*fast));
  return *learned;
}

TEST(MirrorCorners, MoreDimensionsThanSamples) {
  MadePlan plan;
  plan.dimension = 150;
  plan.per_class = 3;
  const SyntheticData data = make_data(plan, 1);
  expect_both_alike(data.support, data.labels, data.stream);
}

TEST(MirrorCorners, SamplesOfAClassThatAreAllTheSame) {
  // Nothing varies within classes: the embedding is the standardised one.
  SyntheticData data = make_data({}, 2);
  for (std::size_t i = 0; i < data.support.rows(); ++i) {
    for (std::size_t j = 0; j < data.support.columns(); ++j)
      data.support[i][j] = static_cast<double>((data.labels[i] * 7 + 3 * j) % 5);
  }
  const methods::MirrorModel learned = expect_both_alike(data.support, data.labels, data.stream);
  EXPECT_EQ(learned.embedding.whitening.rows(), 0u);
  EXPECT_NEAR(learned.rho, 1, 1e-6);
}

TEST(MirrorCorners, ADimensionThatNeverVaries) {
  SyntheticData data = make_data({}, 3);
  for (std::size_t i = 0; i < data.support.rows(); ++i) data.support[i][4] = 1;
  for (std::size_t i = 0; i < data.stream.rows(); ++i) data.stream[i][4] = 1;
  EXPECT_EQ(expect_both_alike(data.support, data.labels, data.stream).embedding.rank, 11u);
}

TEST(MirrorCorners, ThreeClassesOfOneTwoAndTwoSamples) {
  const SyntheticData data = make_data({}, 4);
  math::Matrix<double> support(5, data.support.columns());
  for (std::size_t i = 0; i < 5; ++i)
    std::copy_n(data.support[i].data(), support.columns(), support[i].data());
  expect_both_alike(support, std::vector<std::int64_t>{0, 1, 1, 2, 2}, data.stream);
}

TEST(MirrorCorners, OneSampleAllOverTheStream) {
  const SyntheticData data = make_data({}, 5);
  math::Matrix<double> stream(120, data.stream.columns());
  for (std::size_t i = 0; i < stream.rows(); ++i)
    std::copy_n(data.stream[7].data(), stream.columns(), stream[i].data());
  expect_both_alike(data.support, data.labels, stream);
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
  math::Matrix<double> stream(30, 8);
  for (std::size_t i = 0; i < 30 * 8; ++i) stream.data()[i] = random.normal();
  expect_both_alike(support, labels, stream, options);
}

TEST(MirrorCorners, RowsThatCannotBeDecidedAreRefusedByNumberAndNothingIsDecided) {
  const SyntheticData data = make_data({}, 7);
  const auto method = method_for("mirror", model_with(*learned_from(data.support, data.labels, {}),
                                                      data.support, data.labels));
  decide_all(*method, data.stream.view().slice(0, 10), 10);
  const auto before = method->save().value();
  math::Matrix<double> bad = data.stream;
  bad[2][0] = std::numeric_limits<double>::infinity();
  std::vector<Decision> decisions(bad.rows());
  auto done = method->decide_block(bad, decisions);
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("row 12 has inf at column 0"));
  EXPECT_EQ(method->save().value(), before);
  done = method->decide_block(math::Matrix<double>(3, 5), std::span(decisions).subspan(0, 3));
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("embeddings have 5 columns, the model expects 12"));
  done = method->decide_block(data.stream, std::span(decisions).subspan(0, 3));
  ASSERT_FALSE(done.ok());
}

TEST(MirrorCorners, AMoveCanFoundANewCategory) {
  const SyntheticData data = make_data({}, 9);
  const auto method = method_for("mirror", model_with(*learned_from(data.support, data.labels, {}),
                                                      data.support, data.labels));
  const Decision last = decide_all(*method, data.stream, 50).back();
  const PrototypeId number = method->next_prototype();
  const CategoryId category = method->categories().next();
  using Cell = Edit::Cell;
  const auto from = method->editor().place(last.sequence, last.prototype, last.counted).value();
  std::vector<Edit> edits{
      edit_of(Cell::category, category, 0, 1), edit_of(Cell::prototype, number, 0, 1),
      edit_of(Cell::owner, number, kNoId, category),
      edit_of(Cell::member, static_cast<std::int64_t>(last.sequence), from.first, number)};
  edits[3].from_counted = from.second;
  StreamMembers members(data.stream);
  const auto before = method->digest().value();
  ASSERT_TRUE(method->editor().apply(edits, &members).ok());
  EXPECT_EQ(method->prototype(number).owner, category);
  // The same sample again is now answered with it.
  const auto state = method->save().value();
  const auto again = method_for("mirror", std::make_shared<const Model>(method->model()));
  ASSERT_TRUE(again->restore(state, "state").ok());
  EXPECT_EQ(decide_all(*again, data.stream.view().slice(last.sequence, 1), 1)[0].category,
            category);
  std::reverse(edits.begin(), edits.end());
  for (Edit& edit : edits) edit = edit.inverse();
  ASSERT_TRUE(method->editor().apply(edits, &members).ok());
  EXPECT_EQ(method->digest().value(), before);
}

}  // namespace
}  // namespace paco::testing
