// Training through the program: one process, two processes, and what it says when it cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/run_program.hpp"
#include "temporary_folder.hpp"

namespace paco::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr int kSide = 16, kImages = 48, kClasses = 4;

void write_big_endian(std::ofstream& file, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(value >> shift));
}

// Grey images in MNIST's format: a bright stripe whose height is the class.
std::string write_images(const TemporaryFolder& folder) {
  std::ofstream images(folder / "images.idx", std::ios::binary),
      labels(folder / "labels.idx", std::ios::binary);
  write_big_endian(images, 0x00000803);
  for (const int size : {kImages, kSide, kSide})
    write_big_endian(images, static_cast<std::uint32_t>(size));
  write_big_endian(labels, 0x00000801);
  write_big_endian(labels, kImages);
  for (int i = 0; i < kImages; ++i) {
    labels.put(static_cast<char>(i % kClasses));
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x)
        images.put(static_cast<char>(y / 4 == i % kClasses ? 240 : (7 * i + x) % 90));
    }
  }
  return "idx:" + folder / "images.idx" + "," + folder / "labels.idx";
}

std::string train_command(const std::string& data, const std::string& out) {
  return "paco train --json --backbone small --input 16 --dimension 8 --batch 16 --lr-backbone "
         "1e-3 "
         "--threads 1 --workers 1 --data " +
         data + " --out " + out;
}

json result_of(const Ran& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(TrainProgram, TwoProcessesOnLoopbackTrainLikeOne) {
  const TemporaryFolder folder;
  const auto data = write_images(folder);
  const auto alone =
      result_of(run_script(train_command(data, folder / "one") + " --epochs 2", folder.path()));
  const std::string group = " --distributed --processes 2 --port 29631 --rank ";
  const TemporaryFolder elsewhere;
  Ran other;
  std::thread second([&] {
    other = run_script(train_command(data, folder / "two") + " --epochs 2" + group + "1",
                       elsewhere.path());
  });
  const auto together = result_of(
      run_script(train_command(data, folder / "two") + " --epochs 2" + group + "0", folder.path()));
  second.join();
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.out, "") << "only the first process reports";
  for (const auto* part : {"loss", "cls", "stat"}) {
    EXPECT_NEAR(together[part].get<double>(), alone[part].get<double>(),
                2e-3 * std::abs(alone[part].get<double>()))
        << part;
  }
}

TEST(TrainProgram, TheHeadOfAnotherObjectiveDecidesWithItsBackbone) {
  const TemporaryFolder folder;
  const auto data = write_images(folder);
  for (const std::string method : {"smile", "phe", "talon", "ltc"}) {
    const std::string run = folder / method;
    const auto trained = result_of(run_script(
        train_command(data, run) + " --epochs 1 --bits 6 --objective " + method, folder.path()));
    EXPECT_NEAR(trained["loss"].get<double>(),
                trained["cls"].get<double>() + trained["stat"].get<double>(), 1e-3)
        << method;
    const auto decided = result_of(run_script(
        "paco embed --encoder " + run + " --data " + data +
            " --out x.npy --labels-out y.npy >/dev/null\n" + "paco calibrate --method " + method +
            " --head " + run +
            "/head.safetensors --support x.npy --labels y.npy --out model.paco >/dev/null\n" +
            "paco discover --json --model model.paco --input x.npy --out decisions.csv",
        folder.path()));
    EXPECT_EQ(decided["method"], method);
    EXPECT_EQ(decided["samples"], kImages) << method;
  }
}

TEST(TrainProgram, ARunFolderIsWhatEmbedTakes) {
  const TemporaryFolder folder;
  const auto data = write_images(folder);
  const auto report =
      result_of(run_script(train_command(data, folder / "run") + " --epochs 2", folder.path()));
  EXPECT_EQ(report["epochs"], 2);
  for (const auto* file : {"weights.safetensors", "settings.json", "checkpoint.safetensors",
                           "metrics.csv", "loss.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / ("run/" + std::string(file)))) << file;
  }
  const auto embedded = run_script("paco embed --encoder run --data " + data +
                                       " --out x.npy --classifier-out w.npy --labels-out y.npy",
                                   folder.path());
  EXPECT_EQ(embedded.exit_code, 0) << embedded.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "w.npy"));
  const auto again = run_script(
      train_command(data, folder / "run") + " --epochs 2 --resume --seed 4", folder.path());
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("options.seed is 0, this run's is 4"));
}

TEST(TrainProgram, InterruptedItKeepsTheLastCheckpointAndGoesOnFromThere) {
  const TemporaryFolder folder;
  const auto data = write_images(folder);
  const auto command = train_command(data, folder / "run") + " --epochs 40";
  const auto stopped = run_script("exec " + command, folder.path(), "epoch 3/40");
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "run/checkpoint.safetensors"));
  const auto resumed = run_script("exec " + command + " --resume", folder.path(), "epoch 5/40");
  EXPECT_EQ(resumed.exit_code, 130) << resumed.err;
  EXPECT_THAT(resumed.err, ::testing::Not(HasSubstr("epoch 2/40"))) << "it began anew";
}

TEST(TrainProgram, SaysWhatIsWrongAndWhatToDo) {
  const TemporaryFolder folder;
  const auto data = write_images(folder);
  const auto said = [&](const std::string& options) {
    const auto result =
        run_script(train_command(data, folder / "run") + " --epochs 1" + options, folder.path());
    EXPECT_NE(result.exit_code, 0) << options;
    return result.err;
  };
  EXPECT_THAT(said(" --margin 4"), HasSubstr("--margin is 4"));
  EXPECT_THAT(said(" --precision mixed"), HasSubstr("--precision"));
  EXPECT_THAT(said(" --resume"), HasSubstr("no checkpoint to resume from"));
  EXPECT_THAT(said(" --distributed"), HasSubstr("--rank and --processes"));
  EXPECT_THAT(said(" --weights absent.safetensors"), HasSubstr("absent.safetensors"));
  std::ofstream(folder / "labels.txt") << "only one class\n";
  EXPECT_THAT(said(" --labels labels.txt"), HasSubstr("has 1 labels for 48 samples"));
}

TEST(DemoProgram, RunsTheDecisionLayerOnMadeEmbeddings) {
  const TemporaryFolder folder;
  const auto report =
      result_of(run_script("paco demo --made --fast --json --out out --threads 1", folder.path()));
  EXPECT_GT(report["strict"]["all"].get<double>(),
            report["closed"]["strict"]["all"].get<double>() + 0.2);
  EXPECT_GT(report["strict"]["new"].get<double>(), 0.5);
  for (const auto* file : {"model.paco", "decisions.csv", "trace.csv", "evaluation.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / ("out/" + std::string(file)))) << file;
  }
}

}  // namespace
}  // namespace paco::testing
