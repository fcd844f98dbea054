// Whole runs on made images: resuming, stopping, a full disk, and sets that cannot be trained on.
#include "train/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/files.hpp"
#include "core/random.hpp"
#include "embed/images/images.hpp"
#include "temporary_folder.hpp"
#include "train/training_set.hpp"

namespace paco::train {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr std::size_t kSide = 16;

// Noise with a bright stripe whose height is the class.
class MadeImages final : public embed::ImageSource {
 public:
  MadeImages(std::size_t images, std::vector<std::string> classes)
      : images_(images), classes_(std::move(classes)) {}
  std::size_t size() const override { return images_; }
  Result<embed::Image> load(std::size_t i) const override {
    if (i == broken_) return Error{ErrorCode::bad_format, "image " + name(i) + " is damaged", ""};
    core::Random random(5, i);
    embed::Image image{kSide, kSide, 3, std::vector<std::uint8_t>(kSide * kSide * 3)};
    for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(random.below(100));
    const auto first = static_cast<std::size_t>(4 * label(i)) * kSide * 3;
    std::fill_n(image.pixels.begin() + static_cast<std::ptrdiff_t>(first), 3 * kSide * 3, 250);
    return image;
  }
  std::int64_t label(std::size_t i) const override { return static_cast<std::int64_t>(i % 4); }
  std::string name(std::size_t i) const override { return std::to_string(i); }
  const std::vector<std::string>& class_names() const override { return classes_; }
  void break_image(std::size_t i) { broken_ = i; }

 private:
  std::size_t images_;
  std::vector<std::string> classes_;
  std::size_t broken_ = SIZE_MAX;
};

MadeImages synthetic_images() { return MadeImages(48, {"a", "b", "c", "d"}); }

TrainPlan made_plan(const std::string& folder, int epochs = 2) {
  TrainPlan plan;
  plan.net = *embed::make_spec("small", kSide, 8);
  plan.options.epochs = epochs;
  plan.options.batch = 20;  // the last batch of an epoch is smaller
  plan.options.backbone_rate = 1e-3;
  plan.options.seed = 11;
  plan.options.threads = 1;
  plan.folder = folder;
  return plan;
}

TrainListener listener() {
  TrainListener listener;
  listener.clock = [] { return 0.0; };
  return listener;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Train, StoppedAndResumedGivesTheSameBytesAsNeverStopped) {
  const auto images = synthetic_images();
  const auto set = *read_training_set(images, "made", {});
  const TemporaryFolder folder;
  const auto whole = train(set, made_plan(folder / "whole", 3), listener());
  ASSERT_TRUE(whole.ok()) << whole.error().message;

  std::stop_source stop;
  auto interrupting = listener();
  interrupting.epoch_done = [&](const EpochMetrics& metrics) {
    if (metrics.epoch == 1) stop.request_stop();
  };
  auto plan = made_plan(folder / "parts", 3);
  plan.options.workers = 3;
  const auto first = train(set, plan, interrupting, stop.get_token());
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().code, ErrorCode::interrupted);
  EXPECT_THAT(first.error().hint, HasSubstr("the checkpoint of epoch 1 is kept"));
  plan.resume = true;
  const auto second = train(set, plan, listener());
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->resumed_after, 1);
  EXPECT_EQ(second->epochs, whole->epochs);
  for (const auto* file :
       {"weights.safetensors", "checkpoint.safetensors", "metrics.csv", "loss.svg"}) {
    EXPECT_TRUE(text_of(folder / ("whole/" + std::string(file))) ==
                text_of(folder / ("parts/" + std::string(file))))
        << file;
  }
}

TEST(Train, ResumingWithOtherSettingsIsRefusedAndNamesThem) {
  const auto images = synthetic_images();
  const auto set = *read_training_set(images, "made", {});
  const TemporaryFolder folder;
  auto plan = made_plan(folder / "run", 1);
  ASSERT_TRUE(train(set, plan, listener()).ok());
  plan.resume = true;
  plan.options.head_rate = 0.5;
  const auto result = train(set, plan, listener());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::mismatch);
  EXPECT_THAT(result.error().message, HasSubstr("options.lr is 0.001, this run's is 0.5"));
  plan.folder = folder / "elsewhere";
  EXPECT_EQ(train(set, plan, listener()).error().code, ErrorCode::not_found);
}

TEST(Train, WhereverTheDiskFillsUpTheOldCheckpointSurvivesOrTheNewOneIsWhole) {
  const auto images = synthetic_images();
  const auto set = *read_training_set(images, "made", {});
  const TemporaryFolder folder;
  auto plan = made_plan(folder / "old", 1);
  ASSERT_TRUE(train(set, plan, listener()).ok());
  plan.folder = folder / "new";
  plan.options.seed = 12;
  ASSERT_TRUE(train(set, plan, listener()).ok());
  const auto before = text_of(folder / "old/checkpoint.safetensors");
  const auto after = text_of(folder / "new/checkpoint.safetensors");
  ASSERT_FALSE(before == after);
  int kept = 0;
  for (std::uint64_t n = 1; n <= 60; ++n) {
    std::filesystem::remove_all(folder / "copy");
    std::filesystem::copy(folder / "old", folder / "copy");
    plan.folder = folder / "copy";
    const core::FailNthOperation failure(n);
    const auto result = train(set, plan, listener());
    if (!failure.happened()) {
      EXPECT_TRUE(result.ok());
      EXPECT_GT(kept, 2) << "no failure came before the checkpoint was in place";
      return;
    }
    ASSERT_FALSE(result.ok()) << "operation " << n << " failed unnoticed";
    const auto now = text_of(folder / "copy/checkpoint.safetensors");
    EXPECT_TRUE(now == before || now == after) << "operation " << n;
    if (now == before) ++kept;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "copy")) {
      EXPECT_THAT(entry.path().filename().string(), ::testing::Not(HasSubstr("tmp"))) << n;
    }
  }
  FAIL() << "more operations than this test expects";
}

TEST(Train, ADamagedImageIsSkippedAndCountedOrWithStrictAnError) {
  auto images = synthetic_images();
  images.break_image(7);
  const auto set = *read_training_set(images, "made", {});
  const TemporaryFolder folder;
  auto plan = made_plan(folder / "run", 1);
  std::vector<std::string> warnings;
  auto listening = listener();
  listening.warn = [&](const std::string& text) { warnings.push_back(text); };
  const auto result = train(set, plan, listening);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->epochs[0].skipped, 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("image 7 is damaged"));
  plan.options.strict = true;
  const auto strict = train(set, plan, listener());
  ASSERT_FALSE(strict.ok());
  EXPECT_THAT(strict.error().message, HasSubstr("image 7"));
}

TEST(Train, SetsThatCannotBeTrainedOnAreRefused) {
  const auto images = synthetic_images();
  const TemporaryFolder folder;
  TrainingSet set = *read_training_set(images, "made", {});
  set.class_names.push_back("empty one");
  EXPECT_THAT(train(set, made_plan(folder / "run"), listener()).error().message,
              HasSubstr("class \"empty one\" has no sample"));
  set.samples.resize(1);
  set.labels = {0};
  set.class_names = {"a"};
  EXPECT_THAT(train(set, made_plan(folder / "run"), listener()).error().message,
              HasSubstr("1 known class;"));
  EXPECT_FALSE(std::filesystem::exists(folder / "run")) << "nothing is written before all is well";
}

TEST(Train, WeightsOfAnotherNetworkAreRefused) {
  const auto images = synthetic_images();
  const auto set = *read_training_set(images, "made", {});
  const TemporaryFolder folder;
  auto plan = made_plan(folder / "run", 1);
  plan.weights = folder / "absent.safetensors";
  EXPECT_FALSE(train(set, plan, listener()).ok());
  ASSERT_TRUE(core::write_file(plan.weights, "not weights").ok());
  const auto result = train(set, plan, listener());
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("absent.safetensors"));
}

TEST(Train, AnEpochVisitsEverySampleOnceInAnOrderOfItsOwn) {
  const auto first = epoch_order(100, 3, 1), again = epoch_order(100, 3, 1),
             second = epoch_order(100, 3, 2);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, second);
  auto sorted = second;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
}

}  // namespace
}  // namespace paco::train
