// Resizing and cropping are those of the recorded pixels.
#include "embed/images/preprocess.hpp"

#include <gmock/gmock.h>

#include <numeric>

#include "embed/images/images.hpp"

namespace paco::embed {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

Image synthetic_image(std::size_t width, std::size_t height,
                      std::uint8_t (*value)(std::size_t, std::size_t)) {
  Image image{width, height, 3, std::vector<std::uint8_t>(width * height * 3)};
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < 3; ++c) image.pixels[(y * width + x) * 3 + c] = value(x, y);
  return image;
}

std::vector<std::uint8_t> view_of(const Image& image, const Placement& placement, int input) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(input) * input * 3);
  make_view(image, placement, input, out);
  return out;
}

TEST(Preprocess, ResizesInProportionToTwoHundredFiftySixForTwoHundredTwentyFour) {
  EXPECT_EQ(resize_side(224), 256);
  EXPECT_EQ(resize_side(28), 32);
  EXPECT_EQ(resize_side(64), 73);
}

TEST(Preprocess, CentreCropRoundsHalvesToEven) {
  // 500 x 375 becomes 341 x 256; (341 - 224) / 2 = 58.5 goes to 58, (343 - 224) / 2 = 59.5 to 60.
  const Placement placement = centre_placement(500, 375, 224);
  EXPECT_EQ(placement.width, 341);
  EXPECT_EQ(placement.height, 256);
  EXPECT_EQ(placement.left, 58);
  EXPECT_EQ(placement.top, 16);
  EXPECT_EQ(centre_placement(343, 256, 224).left, 60);
  // 256 * 500 / 374 = 342.2..., 256 * 500 / 373 = 343.16..., 256 * 500 / 379 = 337.73...
  EXPECT_EQ(centre_placement(500, 379, 224).width, 338);
  EXPECT_EQ(centre_placement(500, 379, 224, ImageLoader::literature).width, 337);
}

TEST(Preprocess, AFlatImageStaysFlatWhateverItsSize) {
  for (const std::size_t width : {1u, 7u, 28u, 300u}) {
    const Image image =
        synthetic_image(width, 40, [](std::size_t, std::size_t) { return std::uint8_t{137}; });
    EXPECT_THAT(view_of(image, centre_placement(static_cast<int>(width), 40, 28), 28), Each(137))
        << width;
  }
}

TEST(Preprocess, SameSizeCopiesPixelsExactly) {
  const Image image = synthetic_image(
      10, 8, [](std::size_t x, std::size_t y) { return static_cast<std::uint8_t>(25 * x + y); });
  EXPECT_EQ(view_of(image, {10, 8, 2, 1, false}, 5).front(), 25 * 2 + 1);
  EXPECT_EQ(view_of(image, {10, 8, 2, 1, false}, 5).back(), 25 * 6 + 5);
}

TEST(Preprocess, ShrinkingAveragesOverWhatAPixelCovers) {
  const Image image = synthetic_image(6, 6, [](std::size_t x, std::size_t y) {
    return static_cast<std::uint8_t>(7 * (6 * y + x));
  });
  const auto view = view_of(image, {3, 3, 0, 0, false}, 3);
  // Antialiased halving of a ramp keeps its middle exactly and is symmetric around it.
  EXPECT_NEAR(view[(1 * 3 + 1) * 3], 7 * 17.5, 1);
  EXPECT_NEAR(view[0] + view[(2 * 3 + 2) * 3], 7 * 35, 1);
}

TEST(Preprocess, FlippingMirrorsTheViewAndNothingElse) {
  const Image image = synthetic_image(
      9, 9, [](std::size_t x, std::size_t y) { return static_cast<std::uint8_t>(20 * x + 3 * y); });
  const auto plain = view_of(image, {9, 9, 1, 1, false}, 6),
             mirrored = view_of(image, {9, 9, 1, 1, true}, 6);
  for (std::size_t y = 0; y < 6; ++y)
    for (std::size_t x = 0; x < 6; ++x)
      EXPECT_EQ(plain[(y * 6 + x) * 3], mirrored[(y * 6 + 5 - x) * 3]);
}

TEST(Preprocess, RandomPlacementsDependOnEveryPartOfTheirKeyAndStayInside) {
  const ViewKey key{7, 3, 1000, 1};
  const auto place = [](const ViewKey& k) {
    const Placement p = random_placement(400, 300, 224, k);
    EXPECT_GE(p.left, 0);
    EXPECT_GE(p.top, 0);
    EXPECT_LE(p.left, p.width - 224);
    EXPECT_LE(p.top, p.height - 224);
    return std::tuple(p.left, p.top, p.flip);
  };
  EXPECT_EQ(place(key), place(key));
  EXPECT_NE(place(key), place({8, 3, 1000, 1}));
  EXPECT_NE(place(key), place({7, 4, 1000, 1}));
  EXPECT_NE(place(key), place({7, 3, 1001, 1}));
  EXPECT_NE(place(key), place({7, 3, 1000, 0}));
  int flips = 0;
  for (std::uint64_t sample = 0; sample < 1000; ++sample)
    flips += std::get<2>(place({0, 0, sample, 0}));
  EXPECT_NEAR(flips, 500, 80);
}

TEST(Preprocess, ACropOfAResizedImageIsTheSamePartOfTheWhole) {
  const Image image = synthetic_image(31, 23, [](std::size_t x, std::size_t y) {
    return static_cast<std::uint8_t>(x * x + 11 * y);
  });
  const auto whole = view_of(image, {20, 20, 0, 0, false}, 20),
             part = view_of(image, {20, 20, 4, 7, false}, 9);
  for (std::size_t y = 0; y < 9; ++y)
    for (std::size_t x = 0; x < 9 * 3; ++x)
      EXPECT_EQ(part[y * 27 + x], whole[(y + 7) * 60 + 12 + x]);
}

}  // namespace
}  // namespace paco::embed
