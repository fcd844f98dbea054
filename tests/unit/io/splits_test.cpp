// Splits into known and novel classes are those of the literature, and the same for a seed.
#include "io/splits.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "data_files.hpp"
#include "embed/images/images.hpp"
#include "io/json.hpp"
#include "io/npy.hpp"
#include "temporary_folder.hpp"

namespace paco::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Labels of a data set with the same number of samples in each class, class after class.
Labels balanced(std::size_t classes, std::size_t each) {
  Labels labels;
  for (std::size_t c = 0; c < classes; ++c) {
    labels.names.push_back(fmt::format("c{}", c));
    labels.ids.insert(labels.ids.end(), each, static_cast<std::int64_t>(c));
  }
  return labels;
}

std::string shared() {
  const char* given = std::getenv("PACO_SHARED");
  return given ? given : std::string(PACO_SOURCE_DIR) + "/../shared";
}

struct Row {
  const char* rule;
  std::size_t classes, each;    // of the training split
  std::size_t known, novel;     // classes
  std::size_t support, stream;  // samples, from the table of the literature
};

class SplitCounts : public ::testing::TestWithParam<Row> {};

TEST_P(SplitCounts, OfBalancedClassesAreThoseOfThePapersTable) {
  const Row& row = GetParam();
  const Labels labels = balanced(row.classes, row.each);
  const auto classes = choose_classes({row.rule, "", {}}, labels.names);
  ASSERT_TRUE(classes.ok()) << classes.error().message;
  EXPECT_EQ(classes->known.size(), row.known);
  EXPECT_EQ(classes->novel.size(), row.novel);
  const auto split = make_split(labels, *classes, {});
  ASSERT_TRUE(split.ok()) << split.error().message;
  EXPECT_EQ(split->support.size(), row.support);
  EXPECT_EQ(split->stream.size(), row.stream);
  EXPECT_TRUE(check_counts({row.rule, "", {}}, *split).ok());
}

INSTANTIATE_TEST_SUITE_P(Splits, SplitCounts,
                         ::testing::Values(Row{"cifar10", 10, 5000, 5, 5, 12500, 37500},
                                           Row{"cifar100", 100, 500, 80, 20, 20000, 30000},
                                           Row{"food101", 101, 750, 51, 50, 19125, 56625},
                                           Row{"fashion-mnist", 10, 6000, 5, 5, 15000, 45000}));

TEST(Splits, ImageNetClassesAreTheHundredThatNumpyDraws) {
  const auto classes = choose_classes({"imagenet100", "", {}}, balanced(1000, 1).names);
  ASSERT_TRUE(classes.ok());
  ASSERT_EQ(classes->known.size(), 50u);
  ASSERT_EQ(classes->novel.size(), 50u);
  // numpy: sort(RandomState(0).permutation(1000)[:100]), its first, fiftieth, fifty-first and last.
  EXPECT_EQ(classes->known.front(), 1);
  EXPECT_EQ(classes->known.back(), 494);
  EXPECT_EQ(classes->novel.front(), 496);
  EXPECT_EQ(classes->novel.back(), 996);
}

TEST(Splits, SmallCaseAgreesWithNumpy) {
  // Classes 0 1 2 of four samples each, in turn; two known: known samples are 0 1 3 4 6 7 9 10.
  Labels labels{{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, {"a", "b", "c"}};
  const auto split = make_split(labels, {{0, 1}, {2}}, {});
  ASSERT_TRUE(split.ok());
  EXPECT_THAT(split->support, ElementsAre(1, 3, 9, 10));
  EXPECT_THAT(split->stream, ElementsAre(8, 4, 2, 11, 5, 0, 7, 6));
  EXPECT_THAT(split->class_names, ElementsAre("a", "b", "c"));
}

TEST(Splits, DataSetOrderKeepsTheStreamAscending) {
  SplitOptions options;
  options.shuffle = false;
  const Labels labels = balanced(4, 10);
  const auto split = make_split(labels, {{0, 1}, {2, 3}}, options);
  ASSERT_TRUE(split.ok());
  EXPECT_TRUE(std::is_sorted(split->stream.begin(), split->stream.end()));
  const auto shuffled = make_split(labels, {{0, 1}, {2, 3}}, {});
  EXPECT_EQ(shuffled->support, split->support)
      << "the order of the stream may not move the support set";
  EXPECT_FALSE(std::is_sorted(shuffled->stream.begin(), shuffled->stream.end()));
}

TEST(Splits, ClassesAreRenumberedKnownFirstAndOthersLeftOut) {
  Labels labels{{3, 3, 1, 1, 0, 2}, {"zero", "one", "two", "three"}};
  const auto split = make_split(labels, {{3, 1}, {0}}, {0, 0, false});
  ASSERT_TRUE(split.ok());
  EXPECT_THAT(split->class_names, ElementsAre("three", "one", "zero"));
  EXPECT_EQ(split->support.size() + split->stream.size(), 5u) << "class two is in neither list";
  EXPECT_EQ(split->stream_labels.back(), 2);
}

TEST(Splits, ListsAreReadByNumberAndByName) {
  testing::TemporaryFolder folder;
  const std::vector<std::string> names = {"ant", "bee", "cat", "dog"};
  ASSERT_TRUE(
      core::write_file(folder / "a.json", "{\"known\": [2, \"ant\"], \"novel\": [3]}").ok());
  const auto json = choose_classes({"list", folder / "a.json", {}}, names);
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_THAT(json->known, ElementsAre(2, 0));
  EXPECT_THAT(json->novel, ElementsAre(3));
  ASSERT_TRUE(core::write_file(folder / "a.txt", "dog\n1\n").ok());
  const auto text = choose_classes({"list", folder / "a.txt", {}}, names);
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_THAT(text->known, ElementsAre(3, 1));
  EXPECT_THAT(text->novel, ElementsAre(0, 2));
}

TEST(Splits, WrongRulesAndListsSayWhatToDo) {
  testing::TemporaryFolder folder;
  const auto names = balanced(10, 1).names;
  const auto said = [&](SplitRule rule) {
    const auto classes = choose_classes(rule, names);
    EXPECT_FALSE(classes.ok());
    return classes.ok() ? "" : classes.error().message + " | " + classes.error().hint;
  };
  EXPECT_THAT(said({"cifar", "", {}}), HasSubstr("cifar10, cifar100"));
  EXPECT_THAT(said({"cifar100", "", {}}), HasSubstr("is for 100 classes, the data have 10"));
  EXPECT_THAT(said({"first", "", {}}), HasSubstr("--known K"));
  EXPECT_THAT(said({"first", "", 10}), HasSubstr("between 1 and 9"));
  EXPECT_THAT(said({"list", "", {}}), HasSubstr("--list FILE"));
  ASSERT_TRUE(core::write_file(folder / "twice.json", "{\"known\": [1], \"novel\": [1]}").ok());
  EXPECT_THAT(said({"list", folder / "twice.json", {}}), HasSubstr("'c1' is in it twice"));
  ASSERT_TRUE(core::write_file(folder / "far.json", "{\"known\": [10], \"novel\": [1]}").ok());
  EXPECT_THAT(said({"list", folder / "far.json", {}}), HasSubstr("no class '10'"));
  ASSERT_TRUE(core::write_file(folder / "half.json", "{\"known\": [1]}").ok());
  EXPECT_THAT(said({"list", folder / "half.json", {}}), HasSubstr("no list \"novel\""));
}

TEST(Splits, KnownClassesOfCubAndCarsAreTheBenchmarksLists) {
  const std::string path = shared() + "/protocol/ssb.json";
  if (core::path_kind(path) != core::PathKind::file) GTEST_SKIP() << path << " is absent";
  const auto bytes = core::read_file(path);
  const auto lists =
      parse_json({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, path);
  ASSERT_TRUE(lists.ok());
  for (const auto& [rule, name, classes] :
       {std::tuple("cub", "cub-200-2011", 200), std::tuple("cars", "stanford-cars", 196)}) {
    std::vector<std::string> numbers;
    for (int c = 0; c < classes; ++c) numbers.push_back(std::to_string(c));
    const auto chosen = choose_classes({rule, "", {}}, numbers);
    ASSERT_TRUE(chosen.ok()) << chosen.error().message;
    EXPECT_EQ(chosen->known, (*lists)[name]["known"].get<std::vector<std::int64_t>>());
    EXPECT_EQ(chosen->known.size() + chosen->novel.size(), numbers.size());
  }
}

TEST(Splits, OtherCountsThanTheLiteraturesAreRefusedUnlessUnchecked) {
  const Labels labels = balanced(10, 40);
  SplitRule rule{"cifar10", "", {}};
  const auto split = make_split(labels, *choose_classes(rule, labels.names), {});
  const auto refused = check_counts(rule, *split);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("has 100 support and 300 stream samples"));
  EXPECT_THAT(refused.error().message, HasSubstr("12500 and 37500"));
  rule.unchecked = true;
  EXPECT_TRUE(check_counts(rule, *split).ok());
}

TEST(Splits, ClassesInTheOrderOfFolderNamesAreNotThoseOfPetsAndCars) {
  std::vector<std::string> pets, cars;
  for (int c = 0; c < 37; ++c) pets.push_back(fmt::format("{}{:02}", c % 2 ? "a" : "A", c));
  std::sort(pets.begin(), pets.end());  // capitals, cats, first
  const auto refused = choose_classes({"pets", "", {}}, pets);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().hint, HasSubstr("--data pets:PATH"));
  for (int c = 0; c < 196; ++c) cars.push_back(fmt::format("Car {:03}", c));
  EXPECT_FALSE(choose_classes({"cars", "", {}}, cars).ok());
  std::swap(cars[1], cars[5]);
  EXPECT_TRUE(choose_classes({"cars", "", {}}, cars).ok());
}

// python: hashlib.sha256(b"0 stream\n1 support\n2 stream\n").hexdigest()
TEST(Splits, TheDigestIsOfTheSamplesInEachPart) {
  Split split;
  split.support = {1};
  split.stream = {2, 0};
  EXPECT_EQ(split_digest(split),
            "8c03adb3fbcc41c3d48c83f78a92e26a2e3b323fc49235d36d79dff6307bdc98");
  split.stream = {0, 2};
  EXPECT_EQ(split_digest(split),
            "8c03adb3fbcc41c3d48c83f78a92e26a2e3b323fc49235d36d79dff6307bdc98");
}

TEST(Splits, AFailingDiskLeavesNoPartOfASplit) {
  const auto split = make_split(balanced(4, 10), {{0, 1}, {2, 3}}, {});
  for (std::uint64_t n = 1; n < 100; ++n) {
    testing::TemporaryFolder folder;
    {
      core::FailNthOperation fail(n);
      const auto result = write_split(*split, folder / "out");
      if (!fail.happened()) {
        EXPECT_TRUE(result.ok());
        return;
      }
      if (result.ok()) continue;  // a failed clean-up of what was already in place
    }
    if (core::path_kind(folder / "out") != core::PathKind::folder) continue;
    EXPECT_THAT(*core::list_folder(folder / "out"), ElementsAre()) << "operation " << n;
  }
  FAIL() << "more operations than expected";
}

// The recorded embeddings of CUB were made with this split: their labels tell whether ours is the
// same, row by row.
TEST(Splits, CubIsTheRecordedOne) {
  const std::string folder = shared() + "/data";
  if (core::path_kind(folder + "/cub-224-train.tar") != core::PathKind::file)
    GTEST_SKIP() << folder << " is absent";
  const auto images = embed::open_images("tar:" + folder + "/cub-224-train.tar");
  ASSERT_TRUE(images.ok()) << images.error().message;
  const auto labels = embed::image_labels(**images);
  const auto classes = choose_classes({"cub", folder + "/cub-ssb-split.json", {}}, labels->names);
  ASSERT_TRUE(classes.ok()) << classes.error().message;
  const auto split = make_split(*labels, *classes, {});
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->support.size(), 1498u);
  EXPECT_EQ(split->stream.size(), 4496u);
  EXPECT_EQ(split->support_labels,
            read_npy<std::int64_t>(folder + "/cub-finetuned/support_labels.npy")->data);
  EXPECT_EQ(split->stream_labels,
            read_npy<std::int64_t>(folder + "/cub-finetuned/stream_labels.npy")->data);
}

}  // namespace
}  // namespace paco::io
