// The sets of the literature are read in the form in which they are published, in the published
// order and with the published class ids: miniatures of each.
#include "embed/images/published_sets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "embed/images/images.hpp"
#include "mat_builder.hpp"
#include "pickle_builder.hpp"
#include "temporary_folder.hpp"
#include "unit/io/data_files.hpp"

namespace paco::embed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PublishedSets : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::unique_ptr<ImageSource> open(const std::string& kind) {
    auto source = open_images(kind + ":" + folder_.path());
    if (source.ok()) return std::move(source).value();
    ADD_FAILURE() << source.error().message;
    return nullptr;
  }
  std::string refused(const std::string& kind) {
    const auto source = open_images(kind + ":" + folder_.path());
    return source.ok() ? "taken" : source.error().message;
  }
  static std::vector<std::string> names(const ImageSource& source) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < source.size(); ++i) list.push_back(source.name(i));
    return list;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(PublishedSets, CubIsInTheOrderOfImageIdsAndWithoutTestImages) {
  const std::string root = "CUB_200_2011/";
  put(root + "images.txt", "3 002.B/z.jpg\n1 001.A/y.jpg\n2 001.A/b.jpg\n10 001.A/a.jpg\n");
  put(root + "train_test_split.txt", "1 1\n2 0\n3 1\n10 1\n");
  put(root + "image_class_labels.txt", "1 1\n2 1\n3 2\n10 1\n");
  put(root + "classes.txt", "1 001.A\n2 002.B\n3 003.C\n");
  const auto source = open("cub");
  ASSERT_TRUE(source);
  EXPECT_THAT(names(*source), ElementsAre("001.A/y.jpg", "002.B/z.jpg", "001.A/a.jpg"));
  EXPECT_THAT(image_labels(*source)->ids, ElementsAre(0, 1, 0));
  EXPECT_THAT(source->class_names(), ElementsAre("001.A", "002.B", "003.C"));
  put(root + "image_class_labels.txt", "1 1\n2 1\n3 2\n");
  EXPECT_THAT(refused("cub"), HasSubstr("image_class_labels.txt has no image 10"));
  put(root + "image_class_labels.txt", "1 1\n2 1\n3 0\n10 1\n");
  EXPECT_THAT(refused("cub"), HasSubstr("'0' is no class"));
}

TEST_F(PublishedSets, PetsHaveTheIdsOfTheSecondColumn) {
  put("annotations/trainval.txt",
      "#Image CLASS-ID SPECIES BREED ID\nbeagle_9 2 2 1\nAbyssinian_100 1 1 1\nbeagle_10 2 2 1\n");
  const auto source = open("pets");
  ASSERT_TRUE(source);
  EXPECT_THAT(names(*source), ElementsAre("beagle_9.jpg", "Abyssinian_100.jpg", "beagle_10.jpg"));
  EXPECT_THAT(image_labels(*source)->ids, ElementsAre(1, 0, 1));
  EXPECT_THAT(source->class_names(), ElementsAre("Abyssinian", "beagle"));
  put("annotations/trainval.txt", "beagle_9 2\nalone\n");
  EXPECT_THAT(refused("pets"), HasSubstr("line 2 has 1 fields"));
}

TEST_F(PublishedSets, FoodKeepsTheOrderOfItsListAndNumbersClassesByName) {
  put("food-101/meta/train.json",
      R"({"churros": ["churros/2", "churros/1"], "bibimbap": ["bibimbap/7"]})");
  const auto source = open("food101");
  ASSERT_TRUE(source);
  EXPECT_THAT(names(*source), ElementsAre("churros/2.jpg", "churros/1.jpg", "bibimbap/7.jpg"));
  EXPECT_THAT(image_labels(*source)->ids, ElementsAre(1, 1, 0));
  put("food-101/meta/train.json", R"({"churros": [7]})");
  EXPECT_THAT(refused("food101"), HasSubstr("an image of 'churros' has no name"));
}

class PublishedCars : public PublishedSets {
 protected:
  const std::vector<Annotation> annotations_{{3, "00001.jpg"}, {1, "00002.jpg"}, {3, "00003.jpg"}};
  void expect_the_three() {
    const auto source = open("cars");
    ASSERT_TRUE(source);
    EXPECT_THAT(names(*source), ElementsAre("00001.jpg", "00002.jpg", "00003.jpg"));
    EXPECT_THAT(image_labels(*source)->ids, ElementsAre(2, 0, 2));
    EXPECT_EQ(source->class_names().size(), 3u);
  }
};

TEST_F(PublishedCars, AreReadFromTheDevkitCompressedAndPlain) {
  for (const bool compressed : {false, true}) {
    put("devkit/cars_train_annos.mat", mat_file(mat_annotations(annotations_), compressed));
    put("devkit/cars_meta.mat",
        mat_file(mat_cells("class_names", {"Hummer", "Acura RL", "Acura Integra"}), compressed));
    expect_the_three();
    EXPECT_THAT(open("cars")->class_names(), ElementsAre("Hummer", "Acura RL", "Acura Integra"));
  }
}

TEST_F(PublishedCars, AreReadFromCsvWithAndWithoutAHeader) {
  put("anno_train.csv", "00001.jpg,39,116,569,375,3\n00002.jpg,1,2,3,4,1\n00003.jpg,1,2,3,4,3\n");
  expect_the_three();
  put("devkit/cars_train_annos.csv",
      "class,fname\n3,00001.jpg\n1,car_ims/00002.jpg\n3,00003.jpg\n");
  expect_the_three();
  put("devkit/cars_train_annos.csv", "class,fname\n3,00001.jpg\n0,00002.jpg\n");
  EXPECT_THAT(refused("cars"), HasSubstr("image '00002.jpg' has class 0"));
}

TEST_F(PublishedCars, EveryCutOfTheirAnnotationsIsAnError) {
  const std::string whole = mat_file(mat_annotations(annotations_), false);
  for (std::size_t size = 0; size < whole.size() - 8; size += 5) {
    put("devkit/cars_train_annos.mat", whole.substr(0, size));
    EXPECT_NE(refused("cars"), "taken") << size << " bytes of " << whole.size();
  }
}

// A batch of two images of one colour each, pickled as Python 2 does, or as Python 3 does, which
// writes bytes as text.
std::string cifar_batch(int first, const std::string& labels_key, bool python3) {
  const auto word = [](const std::string& text) {
    return "U" + std::string(1, static_cast<char>(text.size())) + text;
  };
  std::string pixels = std::string(3072, static_cast<char>(first)) + std::string(3072, '\xf0');
  PickleBuilder batch;
  batch.raw("}(").raw(word("data"));
  batch.global("numpy.core.multiarray", "_reconstruct").global("numpy", "ndarray");
  batch.raw(std::string("K\0\x85", 3)).raw(word("b")).raw("\x87R");
  batch.raw("(K\x01").integer(2).integer(3072).raw("\x86");
  batch.global("numpy", "dtype").raw(word("u1")).raw(std::string("K\0K\x01\x87R", 6));
  batch.raw("(K\x03").raw(word("|")).raw("NNN").integer(-1).integer(-1).raw(
      std::string("K\0tb", 4));
  batch.raw("\x89");
  if (python3) {
    std::string text;
    for (const char c : pixels) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        text += c;
      } else {
        text += {static_cast<char>(0xc0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))};
      }
    }
    batch.global("_codecs", "encode").text(text).text("latin1").raw("\x86R");
  } else {
    batch.raw("T" + raw_bytes<std::uint32_t>({static_cast<std::uint32_t>(pixels.size())}) + pixels);
  }
  batch.raw("tb").raw(word(labels_key)).raw("](").integer(first).integer(1).raw("eu");
  return batch.finish();
}

TEST_F(PublishedSets, CifarIsReadFromItsPythonVersion) {
  for (int i = 1; i <= 5; ++i)
    put(fmt::format("cifar-10-batches-py/data_batch_{}", i), cifar_batch(i, "labels", i % 2 == 0));
  const auto ten = open("cifar10");
  ASSERT_TRUE(ten);
  EXPECT_THAT(image_labels(*ten)->ids, ElementsAre(1, 1, 2, 1, 3, 1, 4, 1, 5, 1));
  for (const std::size_t image : {2u, 3u}) {
    const std::uint8_t value = image == 2 ? 2 : 0xf0;
    EXPECT_THAT(ten->load(image)->pixels, ::testing::Each(value));
  }
  put("cifar-100-python/train", cifar_batch(77, "fine_labels", false));
  EXPECT_THAT(image_labels(*open("cifar100"))->ids, ElementsAre(77, 1));
  put("cifar-100-python/train", cifar_batch(77, "labels", false));
  EXPECT_THAT(refused("cifar100"), HasSubstr("no \"fine_labels\""));
  put("cifar-100-python/train", PickleBuilder().global("os", "system").finish());
  EXPECT_THAT(refused("cifar100"), HasSubstr("asks for os.system"));
}

TEST_F(PublishedSets, ImageNetGivesTheSameHundredFromAllClassesAndFromThemAlone) {
  const auto image = testing::file_bytes(testing::corpus("png/rgb.png"));
  const std::string bytes(reinterpret_cast<const char*>(image.data()), image.size());
  for (int c = 0; c < 1000; ++c) put(fmt::format("train/n{:08}/a.png", c), bytes);
  const auto all = open("imagenet100");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 100u);
  EXPECT_EQ(all->name(0), "n00000001/a.png");
  EXPECT_EQ(all->class_names()[49], "n00000494");
  EXPECT_EQ(all->class_names()[99], "n00000996");
  for (int c = 0; c < 1000; ++c) {
    const std::string name = fmt::format("n{:08}", c);
    if (std::find(all->class_names().begin(), all->class_names().end(), name) ==
        all->class_names().end())
      std::filesystem::remove_all(folder_ / ("train/" + name));
  }
  EXPECT_EQ(names(*open("imagenet100")), names(*all));
}

TEST_F(PublishedSets, PartsSayWhatIsThereAndWhatIsMissing) {
  put("annotations/trainval.txt", "beagle_9 1\n");
  const auto parts = published_parts("pets", folder_.path());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].found, folder_ / "annotations/trainval.txt");
  EXPECT_EQ(parts[1].found, "");
  EXPECT_THAT(parts[1].forms, ElementsAre("images"));
}

TEST_F(PublishedSets, ACheckCountsImagesThatTheDiskDoesNotHave) {
  put("annotations/trainval.txt", "beagle_9 1\npug_1 2\npug_2 2\n");
  put("images/pug_1.jpg", "");
  const auto check = check_published_set("pets", folder_.path());
  ASSERT_TRUE(check.ok()) << check.error().message;
  EXPECT_EQ(check->images, 3u);
  EXPECT_EQ(check->missing_images, 2u);
  EXPECT_EQ(check->first_missing, folder_ / "images/beagle_9.jpg");
  EXPECT_EQ(check->split.support.size(), 1u);
}

}  // namespace
}  // namespace paco::embed
