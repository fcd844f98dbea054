// The losses against recorded values and, for their gradients, against differences.
#include "train/losses.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace paco::train {
namespace {

using nlohmann::json;

json golden_cases() {
  std::ifstream file(PACO_SOURCE_DIR "/tests/golden/losses/cases.json");
  return json::parse(file);
}

torch::Tensor matrix(const json& rows) {
  std::vector<double> values;
  for (const auto& row : rows) {
    for (const auto& value : row) values.push_back(value.get<double>());
  }
  return torch::tensor(values, torch::kFloat64).view({static_cast<std::int64_t>(rows.size()), -1});
}

struct Views {
  torch::Tensor view1, view2, classifier;
  std::vector<std::int64_t> labels;
  torch::Tensor label_tensor() const { return torch::tensor(labels, torch::kLong); }
};

Views random_batch(std::int64_t samples, std::int64_t classes, std::int64_t dimension,
                   std::uint64_t seed) {
  torch::manual_seed(seed);
  Views batch;
  batch.view1 = torch::randn({samples, dimension}, torch::kFloat64);
  batch.view2 = batch.view1 + 0.3 * torch::randn({samples, dimension}, torch::kFloat64);
  batch.classifier = torch::randn({classes, dimension}, torch::kFloat64);
  for (std::int64_t i = 0; i < samples; ++i) batch.labels.push_back(i % classes);
  return batch;
}

// Largest difference between autograd's gradient of `loss` and central differences.
double gradient_error(torch::Tensor input, const std::function<torch::Tensor()>& loss) {
  constexpr double kStep = 1e-6;
  input.requires_grad_(true);
  if (input.grad().defined()) input.mutable_grad() = torch::Tensor();
  loss().backward();
  const auto gradient = input.grad().clone();
  torch::NoGradGuard guard;
  double worst = 0;
  auto* values = input.data_ptr<double>();
  for (std::int64_t i = 0; i < input.numel(); ++i) {
    const double kept = values[i];
    values[i] = kept + kStep;
    const double above = loss().item<double>();
    values[i] = kept - kStep;
    const double below = loss().item<double>();
    values[i] = kept;
    const double difference = (above - below) / (2 * kStep);
    worst = std::max(worst, std::abs(difference - gradient.data_ptr<double>()[i]));
  }
  return worst;
}

TEST(Losses, EqualTheRecordedValues) {
  int checked = 0;
  for (const auto& example : golden_cases()) {
    const auto labels = example["labels"].get<std::vector<std::int64_t>>();
    const auto loss =
        classification_loss(matrix(example["view1"]), torch::tensor(labels, torch::kLong),
                            matrix(example["weights"]), {});
    EXPECT_NEAR(loss.item<double>(), example["arcface_view1"].get<double>(), 1e-9);
    ++checked;
    if (!example.contains("stat")) continue;
    const auto stat = statistical_loss(matrix(example["view1"]), matrix(example["view2"]), labels,
                                       {example["visible"].get<std::vector<std::int64_t>>()});
    EXPECT_NEAR(stat.cos.item<double>(), example["stat"]["cos"].get<double>(), 1e-9);
    EXPECT_NEAR(stat.margin.item<double>(), example["stat"]["margin"].get<double>(), 1e-9);
    EXPECT_NEAR(stat.compact.item<double>(), example["stat"]["compact"].get<double>(), 1e-9);
    EXPECT_NEAR(stat.total.item<double>(), example["stat"]["total"].get<double>(), 1e-9);
  }
  EXPECT_EQ(checked, 4);
}

TEST(Losses, ClassificationGradientEqualsDifferences) {
  for (const bool margin : {true, false}) {
    const auto batch = random_batch(10, 4, 6, 1);
    const MarginOptions options{.enabled = margin};
    const auto loss = [&] {
      return classification_loss(batch.view1, batch.label_tensor(), batch.classifier, options);
    };
    EXPECT_LT(gradient_error(batch.view1, loss), 1e-6) << "features, margin " << margin;
    EXPECT_LT(gradient_error(batch.classifier, loss), 1e-6) << "classifier, margin " << margin;
  }
}

TEST(Losses, StatisticalGradientFlowsThroughPrototypesAndEqualsDifferences) {
  const auto batch = random_batch(14, 5, 6, 2);
  const Episode episode{{0, 2, 3}};
  const auto loss = [&] {
    return statistical_loss(batch.view1, batch.view2, batch.labels, episode).total;
  };
  EXPECT_LT(gradient_error(batch.view1, loss), 1e-7) << "prototypes";
  EXPECT_LT(gradient_error(batch.view2, loss), 1e-7) << "scored samples";
}

TEST(Losses, AFeatureThatPointsExactlyAtItsClassHasAFiniteGradient) {
  auto features = torch::tensor({{1.0, 0.0}, {-1.0, 0.0}}, torch::kFloat64).requires_grad_(true);
  const auto classifier = torch::eye(2, torch::kFloat64);
  classification_loss(features, torch::tensor({0, 0}), classifier, {}).backward();
  EXPECT_TRUE(torch::isfinite(features.grad()).all().item<bool>());
}

TEST(Losses, AVisibleSampleAloneInItsClassIsNotScoredButStandsInTheBank) {
  auto batch = random_batch(9, 4, 6, 3);
  batch.labels = {0, 0, 0, 1, 2, 2, 3, 3, 3};  // class 1 has one sample
  const Episode episode{{0, 1}};
  const auto before = statistical_loss(batch.view1, batch.view2, batch.labels, episode);
  batch.view2[3] = -batch.view2[3];
  const auto scored = statistical_loss(batch.view1, batch.view2, batch.labels, episode);
  EXPECT_EQ(before.total.item<double>(), scored.total.item<double>());
  batch.view1[3] = -batch.view1[3];
  const auto bank = statistical_loss(batch.view1, batch.view2, batch.labels, episode);
  EXPECT_NE(before.total.item<double>(), bank.total.item<double>());
}

TEST(Episodes, SplitThePresentClassesIntoVisibleHalfAndHidden) {
  for (std::int64_t classes = 1; classes <= 12; ++classes) {
    core::Random random(classes);
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < 40; ++i) labels.push_back(100 + 7 * (i % classes));
    const auto visible = draw_episode(labels, random).visible;
    if (classes < 3) {
      EXPECT_TRUE(visible.empty()) << classes << " classes";
      continue;
    }
    const std::set<std::int64_t> distinct(visible.begin(), visible.end());
    EXPECT_EQ(distinct.size(), static_cast<std::size_t>(std::max<std::int64_t>(2, classes / 2)));
    for (const auto id : distinct) EXPECT_EQ((id - 100) % 7, 0) << id;
  }
}

TEST(Episodes, WithFewerThanThreeClassesTheTermIsZero) {
  const auto batch = random_batch(8, 2, 4, 5);
  core::Random random(0);
  const auto stat =
      statistical_loss(batch.view1, batch.view2, batch.labels, draw_episode(batch.labels, random));
  EXPECT_EQ(stat.total.item<double>(), 0.0);
}

}  // namespace
}  // namespace paco::train
