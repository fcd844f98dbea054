// Files that paco 0.1 wrote (tests/fixtures/0.1: the model of the golden set "tiny", the state
// after 150 samples, and the decisions on the whole stream): what was begun with it goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/files.hpp"
#include "io/decision_file.hpp"
#include "io/embeddings.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::methods {
namespace {

constexpr std::size_t kSaved = 150;  // samples before the state was saved

std::string fixture(const std::string& name) {
  return std::string(PACO_SOURCE_DIR) + "/tests/fixtures/0.1/" + name;
}

class EarlierVersion : public ::testing::Test {
 protected:
  void SetUp() override {
    auto model = load_model(fixture("model.paco"));
    ASSERT_TRUE(model.ok()) << model.error().message;
    model_ = std::make_shared<const Model>(std::move(model).value());
    auto stream =
        io::read_embeddings(std::string(PACO_SOURCE_DIR) + "/tests/golden/tiny/stream.npy");
    ASSERT_TRUE(stream.ok()) << stream.error().message;
    stream_ = std::move(stream).value();
    auto table = io::read_decisions(fixture("decisions.csv"));
    ASSERT_TRUE(table.ok()) << table.error().message;
    table_ = std::move(table).value();
    ASSERT_EQ(table_.decisions.size(), stream_.rows());
  }

  static void expect_close(double x, double recorded) {
    ASSERT_EQ(std::isnan(x), std::isnan(recorded));
    if (std::isnan(x)) return;
    ASSERT_NEAR(x, recorded, 1e-12 * std::max(1.0, std::abs(recorded)));
  }

  // Decisions from sample `first` on, against the recorded ones.
  void expect_recorded(Method& method, std::size_t first) {
    const auto decisions =
        testing::decide_all(method, stream_.view().slice(first, stream_.rows() - first), 32);
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      SCOPED_TRACE("sample " + std::to_string(first + i));
      const Decision &d = decisions[i], recorded = table_.as_of(method.info(), first + i);
      ASSERT_EQ(d.sequence, recorded.sequence);
      ASSERT_EQ(d.category, recorded.category);
      ASSERT_EQ(d.verdict, recorded.verdict);
      ASSERT_EQ(d.runner_up, recorded.runner_up);
      ASSERT_EQ(method.categories().name(d.category), table_.names[first + i]);
      // Numbers to all digits but the last few: logarithms differ between versions.
      expect_close(d.score, recorded.score);
      expect_close(d.threshold, recorded.threshold);
      for (std::size_t f = 0; f < method.info().evidence.size(); ++f) {
        if (!method.info().evidence[f].after) expect_close(d.evidence[f], recorded.evidence[f]);
      }
    }
  }

  std::shared_ptr<const Model> model_;
  math::Matrix<double> stream_;
  io::DecisionTable table_;
};

TEST_F(EarlierVersion, ItsModelDecidesAsItDid) {
  EXPECT_EQ(model_->method, "paco");
  expect_recorded(*testing::method_for("", model_), 0);
  for (const std::string name : {"closed", "leader", "slc", "reference"})
    EXPECT_TRUE(make_method(name, model_).ok()) << name;
}

TEST_F(EarlierVersion, ItsModelIsWhatCalibrationGivesToday) {
  const std::string folder = std::string(PACO_SOURCE_DIR) + "/tests/golden/tiny/";
  const auto support = io::read_embeddings(folder + "support.npy");
  ASSERT_TRUE(support.ok());
  const PacoParameters p = testing::parameters_of(*model_);
  EXPECT_EQ(p.options.temperature, 1);
  EXPECT_EQ(p.options.tie, Tie::mid);
  EXPECT_TRUE(p.options.routing);
  EXPECT_EQ(p.hi.positives.size(), support->rows());
  EXPECT_FALSE(p.create.negatives.empty());
  const Section& leader = *model_->section("leader").value();
  EXPECT_TRUE(leader.number("leader").ok());
  EXPECT_TRUE(model_->prototype_quality.available);
}

TEST_F(EarlierVersion, ItsStateGoesOnToTheRecordedDecisions) {
  const auto method = testing::method_for("paco", model_);
  const auto restored = method->restore(fixture("state.paco"));
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(method->samples(), kSaved);
  // It is the state that deciding gives today.
  const auto today = testing::method_for("paco", model_);
  testing::decide_all(*today, stream_.view().slice(0, kSaved), 32);
  ASSERT_EQ(method->next_prototype(), today->next_prototype());
  for (PrototypeId id = 0; id < today->next_prototype(); ++id) {
    const Prototype a = method->prototype(id), b = today->prototype(id);
    EXPECT_EQ(a.members, b.members) << id;
    EXPECT_EQ(a.counted, b.counted) << id;
    EXPECT_EQ(a.birth, b.birth) << id;
    EXPECT_EQ(method->categories()[id].answered, today->categories()[id].answered) << id;
    expect_close(a.resultant_length, b.resultant_length);
  }
  expect_recorded(*method, kSaved);
}

TEST_F(EarlierVersion, WhatIsSavedTodayOfItFitsItsModelAndState) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(save_model(*model_, folder / "m.paco").ok());
  auto again = load_model(folder / "m.paco");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->fingerprint(), model_->fingerprint());
  const auto model = std::make_shared<const Model>(std::move(again).value());
  const auto method = testing::method_for("paco", model);
  ASSERT_TRUE(method->restore(fixture("state.paco")).ok());
  const auto saved = method->save();
  ASSERT_TRUE(saved.ok());
  const auto next = testing::method_for("paco", model_);
  const auto restored = next->restore(*saved, "state");
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  expect_recorded(*next, kSaved);
}

TEST_F(EarlierVersion, ItsStateIsRefusedWhereItDoesNotBelong) {
  const auto other = testing::method_for("leader", model_);
  const auto refused = other->restore(fixture("state.paco"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
  const auto data = testing::make_data({}, 1);
  const auto foreign = testing::method_for("paco", testing::calibrated(data.support_set()));
  EXPECT_FALSE(foreign->restore(fixture("state.paco")).ok());
  EXPECT_EQ(foreign->samples(), 0u);
}

}  // namespace
}  // namespace paco::methods
