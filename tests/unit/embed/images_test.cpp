// Images of every kind are decoded to the same pixels, on any number of threads; damaged ones are
// refused.
#include "embed/images/images.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <thread>

#include "embed/images/image_codec.hpp"
#include "temporary_folder.hpp"
#include "unit/io/data_files.hpp"

namespace paco::embed {
namespace {

using testing::corpus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Image> decode(const std::string& name) {
  const auto bytes = testing::file_bytes(corpus(name));
  return decode_image(bytes, name);
}

TEST(Images, EveryKindOfPngGivesRedGreenBlueWhite) {
  for (const char* name : {"png/rgb.png", "png/rgb16.png"}) {
    const auto image = decode(name);
    ASSERT_TRUE(image.ok()) << image.error().message;
    EXPECT_THAT(image->pixels, ElementsAre(255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255)) << name;
  }
  // The same over white, of which alpha 9, 200 and 0 of 255 leave the rest; likewise half of red in
  // the palette.
  EXPECT_THAT(decode("png/rgba.png")->pixels,
              ElementsAre(255, 246, 246, 55, 255, 55, 255, 255, 255, 255, 255, 255));
  EXPECT_THAT(decode("png/palette.png")->pixels,
              ElementsAre(255, 127, 127, 0, 255, 0, 0, 0, 255, 255, 255, 255));
  EXPECT_THAT(decode("png/grey.png")->pixels,
              ElementsAre(0, 0, 0, 85, 85, 85, 170, 170, 170, 255, 255, 255));
  EXPECT_THAT(decode("png/grey1.png")->pixels,
              ElementsAre(0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0));
}

// As Pillow's convert("RGB") has it.
TEST(Images, TheLoaderOfTheLiteratureDropsAlpha) {
  const auto bytes = testing::file_bytes(corpus("png/rgba.png"));
  const auto image = decode_image(bytes, "rgba.png", ImageLoader::literature);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->loader, ImageLoader::literature);
  EXPECT_EQ(image->pixels[0], 255);
  EXPECT_EQ(image->pixels[1], 0) << "alpha 9 of 255 leaves nothing of white";
}

void expect_colour(const std::string& name, int red, int green, int blue, int tolerance) {
  const auto image = decode(name);
  ASSERT_TRUE(image.ok()) << image.error().message;
  ASSERT_EQ(image->pixels.size(), 16u * 16 * 3);
  for (std::size_t p = 0; p < image->pixels.size(); p += 3) {
    EXPECT_NEAR(image->pixels[p], red, tolerance) << name;
    EXPECT_NEAR(image->pixels[p + 1], green, tolerance) << name;
    EXPECT_NEAR(image->pixels[p + 2], blue, tolerance) << name;
  }
}

TEST(Images, JpegAndWebpKeepTheirColour) {
  expect_colour("jpeg/rgb.jpg", 200, 100, 50, 3);
  expect_colour("jpeg/progressive.jpg", 200, 100, 50, 3);
  expect_colour("jpeg/grey.jpg", 128, 128, 128, 1);
  // Inks 40, 120, 200 and black 30 of 255, stored inverted as Adobe does: (255 - ink)(255 - black)
  // / 255.
  expect_colour("jpeg/inks.jpg", 190, 119, 49, 3);
  expect_colour("webp/lossy.webp", 200, 100, 50, 6);
  expect_colour("webp/lossless.webp", 200, 100, 50, 0);
}

TEST(Images, AnImageThatClaimsToBeHugeIsRefusedBeforeItCostsMemory) {
  auto png = testing::file_bytes(corpus("png/rgb.png"));
  png[18] = png[22] = std::byte{0xea};  // 0xea60 = 60000
  png[19] = png[23] = std::byte{0x60};
  // The checksum of the header no longer fits, so either reason is a good one.
  EXPECT_FALSE(decode_image(png, "bomb.png").ok());
  auto jpeg = testing::file_bytes(corpus("jpeg/rgb.jpg"));
  for (std::size_t i = 0; i + 9 < jpeg.size(); ++i) {
    if (jpeg[i] == std::byte{0xff} && jpeg[i + 1] == std::byte{0xc0}) {
      for (std::size_t at : {i + 5, i + 7}) {
        jpeg[at] = std::byte{0xea};
        jpeg[at + 1] = std::byte{0x60};
      }
    }
  }
  const auto bomb = decode_image(jpeg, "bomb.jpg");
  ASSERT_FALSE(bomb.ok());
  EXPECT_THAT(bomb.error().message, HasSubstr("60000 x 60000"));
}

TEST(Images, ATruncatedJpegIsAnErrorNotAGreyPicture) {
  auto bytes = testing::file_bytes(corpus("jpeg/rgb.jpg"));
  bytes.resize(bytes.size() - 4);
  const auto image = decode_image(bytes, "cut.jpg");
  ASSERT_FALSE(image.ok());
  EXPECT_THAT(image.error().message, HasSubstr("cut.jpg"));
}

class ImageFolder : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& from) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    std::filesystem::copy_file(corpus(from), folder_ / name);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(ImageFolder, SubfoldersAreClassesInTheOrderOfTheirNames) {
  put("kiwi/2.PNG", "png/rgb.png");
  put("kiwi/10.jpg", "jpeg/rgb.jpg");
  put("apple/deep/x.webp", "webp/lossy.webp");
  put("apple/.hidden.png", "png/rgb.png");
  put("apple/notes.txt", "csv/plain.csv");
  const auto source = open_images("folder:" + folder_.path());
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_THAT((*source)->class_names(), ElementsAre("apple", "kiwi"));
  ASSERT_EQ((*source)->size(), 3u);
  EXPECT_EQ((*source)->name(0), "apple/deep/x.webp");
  EXPECT_EQ((*source)->name(1), "kiwi/10.jpg");
  EXPECT_EQ((*source)->label(2), 1);
  EXPECT_EQ((*source)->load(2)->width, 2u);
  EXPECT_THAT(image_labels(**source)->ids, ElementsAre(0, 1, 1));
}

// A link upward would show the same images again, 16 levels deep and as many times as there are
// ways.
TEST_F(ImageFolder, LinksToFoldersThatWereVisitedLeadNowhere) {
  put("kiwi/1.png", "png/rgb.png");
  put("apple/2.png", "png/rgb.png");
  std::filesystem::create_directory_symlink("..", folder_ / "kiwi/up");
  std::filesystem::create_directory_symlink("../apple", folder_ / "kiwi/aside");
  std::filesystem::create_directory_symlink("apple", folder_ / "alias");
  std::filesystem::create_directory_symlink(".", folder_ / "here");
  const auto source = open_images("folder:" + folder_.path());
  ASSERT_TRUE(source.ok()) << source.error().message;
  ASSERT_EQ((*source)->size(), 2u);
  EXPECT_THAT((*source)->class_names(), ElementsAre("apple", "kiwi"));
  testing::TemporaryFolder elsewhere;
  std::filesystem::create_directory_symlink(folder_ / "kiwi", elsewhere / "linked");
  EXPECT_THAT((*open_images(elsewhere.path()))->class_names(), ElementsAre("linked"));
}

TEST_F(ImageFolder, ImagesWithoutFoldersHaveNoLabels) {
  put("b.png", "png/rgb.png");
  put("a.png", "png/rgb.png");
  const auto source = open_images(folder_.path());
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->label(0), -1);
  EXPECT_TRUE((*source)->class_names().empty());
  EXPECT_FALSE(image_labels(**source).ok());
  put("kiwi/c.png", "png/rgb.png");
  EXPECT_THAT(open_images(folder_.path()).error().message,
              HasSubstr("'a.png' lies beside the class folders"));
}

TEST_F(ImageFolder, ADamagedImageIsNamedAndTheOthersStillLoad) {
  put("a/1.png", "png/rgb.png");
  put("a/2.png", "csv/plain.csv");
  const auto source = open_images(folder_.path());
  EXPECT_TRUE((*source)->load(0).ok());
  EXPECT_THAT((*source)->load(1).error().message, HasSubstr("a/2.png"));
}

TEST(Images, IdxPixelsAreGreyAndLabelsFit) {
  for (const std::string images : {"idx/images", "idx/images.gz"}) {
    const auto source = open_images("idx:" + corpus(images) + "," + corpus("idx/labels"));
    ASSERT_TRUE(source.ok()) << source.error().message;
    ASSERT_EQ((*source)->size(), 2u);
    EXPECT_EQ((*source)->label(0), 1);
    const auto image = (*source)->load(1);
    EXPECT_EQ(image->width, 3u);
    EXPECT_EQ(image->height, 2u);
    EXPECT_THAT(std::vector(image->pixels.begin(), image->pixels.begin() + 6),
                ElementsAre(120, 120, 120, 140, 140, 140));
  }
}

TEST(Images, CifarPlanesBecomePixels) {
  const auto ten = open_images("cifar10:" + corpus("cifar/ten.bin"));
  ASSERT_TRUE(ten.ok()) << ten.error().message;
  EXPECT_EQ((*ten)->size(), 2u);
  EXPECT_EQ((*ten)->label(1), 9);
  const auto image = (*ten)->load(0);
  EXPECT_EQ(image->width, 32u);
  // Byte i of a record's pixels is 7 i; planes follow each other at 1024 bytes.
  EXPECT_THAT(std::vector(image->pixels.begin(), image->pixels.begin() + 4),
              ElementsAre(0, (1024 * 7) % 256, (2048 * 7) % 256, 7));
  const auto hundred = open_images("cifar100:" + corpus("cifar/hundred.bin"));
  ASSERT_TRUE(hundred.ok()) << hundred.error().message;
  EXPECT_EQ((*hundred)->label(0), 42);
  EXPECT_THAT(open_images("cifar10:" + corpus("cifar/hundred.bin")).error().message,
              HasSubstr("no multiple of 3073"));
}

TEST(Images, ATarGivesWhatItsFolderWould) {
  const auto source = open_images("tar:" + corpus("tar/ustar.tar"));
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_THAT((*source)->class_names(), ElementsAre("a", "b"));
  EXPECT_EQ((*source)->name(0), "set/a/2.png");
  EXPECT_EQ((*source)->load(1)->pixels[0], 255);
}

TEST(Images, ManyThreadsLoadTheSamePixels) {
  const auto source = open_images(corpus("tar/ustar.tar"));
  ASSERT_TRUE(source.ok());
  const auto expected = (*source)->load(0)->pixels;
  std::vector<std::vector<std::uint8_t>> seen(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : seen) {
      threads.emplace_back([&mine, &source] {
        for (int i = 0; i < 50; ++i)
          mine = (*source)->load(static_cast<std::size_t>(i) % 2)->pixels;
      });
    }
  }
  for (const auto& mine : seen) EXPECT_EQ(mine, expected);
}

TEST(Images, AWrongSpecificationSaysWhatIsPossible) {
  for (const char* spec : {"folder:", "nonsense", "fashion-mnist:valid", "idx:/nowhere",
                           "cifar10:/nowhere", "tar:/nowhere"}) {
    const auto source = open_images(spec);
    ASSERT_FALSE(source.ok()) << spec;
    EXPECT_FALSE(source.error().hint.empty()) << spec;
  }
  EXPECT_THAT(open_images("nonsense").error().hint, HasSubstr("fashion-mnist"));
}

TEST(Images, FashionMnistIsFoundWhereDebianPutsIt) {
  if (core::path_kind("/usr/share/datasets/fashion-mnist") != core::PathKind::folder)
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  const auto source = open_images("fashion-mnist:test");
  ASSERT_TRUE(source.ok()) << source.error().message;
  EXPECT_EQ((*source)->size(), 10000u);
  EXPECT_EQ((*source)->class_names().size(), 10u);
  EXPECT_EQ((*source)->class_names()[(*source)->label(0)], "Ankle boot");
}

}  // namespace
}  // namespace paco::embed
