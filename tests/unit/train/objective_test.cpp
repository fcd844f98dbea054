// The objectives of other methods against NumPy (objective_reference.py), and that they are
// learned.
#include "train/objective.hpp"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdio>
#include <memory>

#include "io/npy.hpp"
#include "temporary_folder.hpp"

namespace paco::train {
namespace {

constexpr std::int64_t kObjectiveClasses = 4, kObjectiveDimension = 6;

struct Made {
  torch::Tensor features, labels;
};

Made made_features(std::int64_t views, std::int64_t samples) {
  torch::manual_seed(5);
  Made made;
  made.labels = torch::arange(samples, torch::kLong).remainder(kObjectiveClasses);
  const auto centres = 2 * torch::randn({kObjectiveClasses, kObjectiveDimension});
  made.features = centres.index_select(0, made.labels).unsqueeze(0).repeat({views, 1, 1}) +
                  0.7 * torch::randn({views, samples, kObjectiveDimension});
  return made;
}

std::shared_ptr<PeerObjective> made_objective(Objective which) {
  TrainOptions options;
  options.objective = which;
  options.seed = 3;
  return make_objective(options, kObjectiveClasses, kObjectiveDimension);
}

void write_array(const std::string& path, const torch::Tensor& tensor) {
  const auto host = tensor.detach().to(torch::kFloat32).contiguous();
  const std::vector<std::uint64_t> shape(host.sizes().begin(), host.sizes().end());
  const auto written =
      io::write_npy(path, shape, std::span<const float>(host.data_ptr<float>(), host.numel()));
  ASSERT_TRUE(written.ok()) << written.error().message;
}

// total, first term, the others.
std::vector<double> in_numpy(const std::string& name, const PeerObjective& objective,
                             const Made& made) {
  const testing::TemporaryFolder folder;
  write_array(folder / "features.npy", made.features);
  write_array(folder / "labels.npy", made.labels);
  for (const auto& [tensor, value] : tensors_of(objective))
    write_array(folder / (tensor + ".npy"), value);
  const std::string command = "/usr/bin/python3 " PACO_SOURCE_DIR
                              "/tests/unit/train/objective_reference.py " +
                              name + " '" + (folder / ".") + "'";
  std::vector<double> values(3);
  const std::unique_ptr<FILE, int (*)(FILE*)> out(popen(command.c_str(), "r"), pclose);
  EXPECT_EQ(std::fscanf(out.get(), "%lf %lf %lf", &values[0], &values[1], &values[2]), 3);
  return values;
}

TEST(Objectives, AreTheLossesOfTheirReferencesInNumPy) {
  for (const auto& [which, name] : kObjectives) {
    if (which == Objective::paco) continue;
    const auto objective = made_objective(which);
    if (which == Objective::phe) objective->eval();
    const Made made = made_features(which == Objective::phe ? 1 : 2, 12);
    const auto expected = in_numpy(std::string(name), *objective, made);
    core::Random random(0);  // its first number is above LTC's chance of samples of no class
    const auto parts = objective->loss(made.features, made.labels, random);
    EXPECT_NEAR(parts.total.item<double>(), expected[0], 1e-4 * expected[0]) << name;
    EXPECT_NEAR(parts.main.item<double>(), expected[1], 1e-4 * expected[0]) << name;
    EXPECT_NEAR(parts.others.item<double>(), expected[2], 1e-4 * expected[0]) << name;
  }
}

TEST(Objectives, LtcsThresholdFollowsTheSamplesThatNoClassOwns) {
  const auto objective = made_objective(Objective::ltc);
  const Made made = made_features(2, 16);
  core::Random random(1);
  for (int step = 0; step < 40; ++step) objective->loss(made.features, made.labels, random);
  for (const auto& [name, value] : tensors_of(*objective)) {
    if (name == "threshold") {
      EXPECT_NE(value.item<double>(), 0.7);
    }
  }
}

}  // namespace
}  // namespace paco::train
