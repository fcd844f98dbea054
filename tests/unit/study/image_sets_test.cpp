// Sets of images in studies: what a list may say of them, when they are made, and which runs take
// which training. Pictures are not looked at; what makes embeddings is played by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/files.hpp"
#include "io/npy.hpp"
#include "study/study_data.hpp"
#include "temporary_folder.hpp"

namespace paco::study {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

// Four classes of 2 x 2 pictures in MNIST's format.
void write_pictures(const std::string& images, const std::string& labels) {
  const int count = 12;
  std::string pixels{0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, 2, 0, 0, 0, 2};
  std::string classes{0, 0, 8, 1, 0, 0, 0, count};
  for (char i = 0; i < count; ++i) {
    pixels += std::string(4, static_cast<char>(20 * i));
    classes += static_cast<char>(i % 4);
  }
  ASSERT_TRUE(core::write_file(images, std::string_view(pixels)).ok());
  ASSERT_TRUE(core::write_file(labels, std::string_view(classes)).ok());
}

std::string write_list(const TemporaryFolder& folder, const std::string& text) {
  write_pictures(folder / "pictures", folder / "labels");
  const std::string path = folder / "sets.json";
  std::ofstream(path) << text;
  return path;
}

constexpr const char* kToys =
    R"([{"name": "toys", "images": "idx:pictures,labels", "known": 3, "backbone": "small",)"
    R"( "epochs": 3}])";

std::vector<StudySet> toys(const TemporaryFolder& folder) {
  const auto list = read_set_list(write_list(folder, kToys));
  if (!list.ok()) ADD_FAILURE() << list.error().message;
  return *list;
}

// Embeddings that tell a recipe's margin and seed.
struct PlayedMaker {
  std::vector<train::ImageRecipe> made;

  SetMaker maker() {
    return [this](const train::ImageRecipe& recipe, const std::string& folder) -> Result<void> {
      made.push_back(recipe);
      const train::TrainOptions& t = recipe.training;
      const double mark = t.use_margin ? t.margin : -1;
      std::vector<double> support, stream;
      std::vector<std::int64_t> labels, truth;
      for (int i = 0; i < 6; ++i) {
        support.insert(support.end(), {i % 3 == 0 ? 1.0 : -1.0, 0.1 * i, mark});
        labels.push_back(i % 3);
        stream.insert(stream.end(), {1.0, -0.1 * i, static_cast<double>(t.seed)});
        truth.push_back(i % 4);
      }
      const std::uint64_t rows[] = {6, 3}, one[] = {6};
      if (auto done = io::write_npy<std::int64_t>(folder + "/support_labels.npy", one, labels);
          !done.ok())
        return done;
      if (auto done = io::write_npy<std::int64_t>(folder + "/stream_labels.npy", one, truth);
          !done.ok())
        return done;
      if (auto done = io::write_npy<double>(folder + "/support.npy", rows, support); !done.ok())
        return done;
      return io::write_npy<double>(folder + "/stream.npy", rows, stream);
    };
  }
};

const Plan& plan_called(const char* name) { return *plans_called(name).value()[0]; }

TEST(SetList, ASetOfImagesBeginsWithWhatIsKnownOfItsNameOrRule) {
  const TemporaryFolder folder;
  const auto list = read_set_list(write_list(folder, R"([
    {"name": "cub", "images": "tar:birds.tar", "list": "/lists/ssb.json", "weights": "w.pth"},
    {"name": "shirts", "rule": "fashion-mnist", "epochs": 1, "margin": 0.25, "unchecked": true,
     "loader": "literature", "compact_weight": 0.5},
    {"name": "flowers", "folder": "flowers"}])"));
  ASSERT_TRUE(list.ok()) << list.error().message;
  const train::ImageRecipe& cub = *list->at(0).recipe;
  EXPECT_EQ(cub.images, "tar:" + (folder / "birds.tar"));
  EXPECT_EQ(cub.split.name, "cub");
  EXPECT_EQ(cub.split.list_file, "/lists/ssb.json");
  EXPECT_EQ(cub.weights, folder / "w.pth");
  EXPECT_EQ(cub.training.epochs, train::TrainOptions().epochs);
  const train::ImageRecipe& shirts = *list->at(1).recipe;
  EXPECT_EQ(shirts.images, "fashion-mnist");
  EXPECT_EQ(shirts.backbone, "small");
  EXPECT_EQ(shirts.training.epochs, 1);
  EXPECT_EQ(shirts.training.margin, 0.25);
  EXPECT_TRUE(shirts.split.unchecked);
  EXPECT_EQ(shirts.loader, embed::ImageLoader::literature);
  EXPECT_EQ(shirts.training.compact_weight, 0.5);
  EXPECT_EQ(shirts.training.clip, train::known_recipe("fashion-mnist")->training.clip);
  EXPECT_FALSE(list->at(2).recipe);
  EXPECT_EQ(list->at(2).folder, folder / "flowers");
}

TEST(SetList, WhatNobodyUnderstandsIsRefusedWithItsWords) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    const auto list = read_set_list(write_list(folder, text));
    return list.ok() ? "taken" : list.error().message;
  };
  EXPECT_THAT(message("{}"), HasSubstr("no JSON list"));
  EXPECT_THAT(message("[1"), HasSubstr("no JSON list"));
  EXPECT_THAT(message("[1]"), HasSubstr("no object"));
  EXPECT_THAT(message(R"([{"folder": "a"}])"), HasSubstr("needs a name"));
  EXPECT_THAT(message(R"([{"name": "../a", "folder": "a"}])"), HasSubstr("without '/'"));
  EXPECT_THAT(message(R"([{"name": "a"}])"), HasSubstr("neither a folder nor images"));
  EXPECT_THAT(message(R"([{"name": "a", "folder": "b", "epochs": 3}])"), HasSubstr("'epochs'"));
  EXPECT_THAT(message(R"([{"name": "a", "images": "b", "epoch": 3}])"), HasSubstr("'epoch'"));
  EXPECT_THAT(message(R"([{"name": "a", "images": "b", "epochs": "3"}])"),
              HasSubstr("\"epochs\" cannot be \"3\""));
  EXPECT_THAT(message(R"([{"name": "a", "images": "b", "epochs": 2.5}])"), HasSubstr("2.5"));
  EXPECT_THAT(message(R"([{"name": "a", "images": "b", "batch": -1}])"), HasSubstr("-1"));
  EXPECT_THAT(message(R"([{"name": "a", "images": "b", "unchecked": 1}])"),
              HasSubstr("\"unchecked\" cannot be 1"));
  EXPECT_THAT(message(R"([{"name": "a", "images": "b", "train_blocks": "first"}])"),
              HasSubstr("one of all, last, head"));
}

TEST(ImageSets, WhatCannotWorkIsRefusedBeforeTheFirstTraining) {
  const TemporaryFolder folder;
  PlayedMaker played;
  const auto message = [&](train::ImageRecipe recipe) {
    const StudySet good = toys(folder)[0];
    recipe.name = "other";
    const auto data = data_for(plan_called("comparison"), {good, {"other", "", recipe, ""}}, 1,
                               folder / "out", played.maker());
    return data.ok() ? "taken" : data.error().message;
  };
  const train::ImageRecipe good = *toys(folder)[0].recipe;
  train::ImageRecipe bad = *train::known_recipe("cub");
  EXPECT_THAT(message(bad), HasSubstr("nobody has said where its images are"));
  bad = good;
  bad.backbone = "vit_b16";
  EXPECT_THAT(message(bad), HasSubstr("vit_b16 has no weights"));
  bad.weights = folder / "absent";
  EXPECT_THAT(message(bad), HasSubstr("are not there"));
  bad = good;
  bad.training.margin = 4;
  EXPECT_THAT(message(bad), HasSubstr("--margin is 4"));
  bad = good;
  bad.split.known_count = 2;
  EXPECT_THAT(message(bad), HasSubstr("2 known and 2 novel classes"));
  bad.split.known_count = 4;
  EXPECT_THAT(message(bad), HasSubstr("other: rule 'first' needs"));
  bad = good;
  bad.images = "idx:" + (folder / "absent");
  EXPECT_THAT(message(bad), HasSubstr("other: "));
  EXPECT_TRUE(played.made.empty());
  EXPECT_EQ(core::path_kind(folder / "out"), core::PathKind::absent);
}

TEST(ImageSets, EverySeedHasATrainingOfItsOwnAndNoneIsMadeTwice) {
  const TemporaryFolder folder;
  const std::vector<StudySet> sets = toys(folder);
  PlayedMaker played;
  const Plan& plan = plan_called("comparison");
  const auto data = data_for(plan, sets, 3, folder / "out", played.maker());
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_EQ(played.made.size(), 3u);
  const auto runs = runs_of(plan, *data, {"closed", "paco"}, 3);
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs->size(), 6u);
  for (const paco::study::Run& run : *runs)
    EXPECT_EQ((*data)[run.data].stream[0][2], static_cast<double>(run.seed));
  ASSERT_TRUE(data_for(plan, sets, 3, folder / "out", played.maker()).ok());
  EXPECT_EQ(played.made.size(), 3u);
  // Embeddings that are there need no images.
  std::filesystem::remove(folder / "pictures");
  EXPECT_TRUE(data_for(plan, sets, 3, folder / "out", played.maker()).ok());
  // Another recipe does not take them for its own.
  std::vector<StudySet> other = sets;
  other[0].recipe->training.epochs = 5;
  const auto refused = data_for(plan, other, 3, folder / "out", played.maker());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
}

TEST(ImageSets, VariantsOfTheTrainingAreTrainedAndTheOthersShareOne) {
  const TemporaryFolder folder;
  const std::vector<StudySet> sets = toys(folder);
  PlayedMaker played;
  const Plan& ablation = plan_called("ablation");
  const auto data = data_for(ablation, sets, 1, folder / "out", played.maker());
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_EQ(played.made.size(), 3u);  // full, without the loss, without the margin
  const auto runs = runs_of(ablation, *data, {}, 1);
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs->size(), ablation.values.size());
  for (const paco::study::Run& run : *runs) {
    const bool without = run.factors[0].second == "no angular margin";
    EXPECT_EQ((*data)[run.data].support[0][2], without ? -1 : train::TrainOptions().margin)
        << run.factors[0].second;
  }
  played.made.clear();
  const Plan& margins = plan_called("sensitivity-margin");
  const auto swept = data_for(margins, sets, 1, folder / "out", played.maker());
  ASSERT_TRUE(swept.ok()) << swept.error().message;
  std::set<double> trained_with;
  for (const train::ImageRecipe& recipe : played.made) trained_with.insert(recipe.training.margin);
  // The margin that the recipe has anyway was trained for the study before.
  EXPECT_EQ(trained_with, (std::set<double>{0, 0.1, 0.3, 0.7}));
  EXPECT_EQ(runs_of(margins, *swept, {}, 1)->size(), margins.values.size());
}

TEST(ImageSets, ARecipeIsKnownAgainWhereverItsFilesLie) {
  train::ImageRecipe here = *train::known_recipe("cub"), there = here;
  here.images = "tar:/here/cub.tar";
  here.weights = "/here/vit.safetensors";
  there.images = "tar:sets/cub.tar";
  there.weights = "vit.safetensors";
  there.training.device = "cuda";
  EXPECT_EQ(train::recipe_text(here), train::recipe_text(there));
  there.training.seed = 1;
  EXPECT_NE(train::recipe_text(here), train::recipe_text(there));
}

}  // namespace
}  // namespace paco::study
