// Pictures made small.
#include "report/thumbnail.hpp"

#include <gtest/gtest.h>

namespace paco::report {
namespace {

embed::Image filled(std::size_t width, std::size_t height, std::uint8_t value) {
  embed::Image image;
  image.width = width;
  image.height = height;
  image.channels = 3;
  image.pixels.assign(width * height * 3, value);
  return image;
}

TEST(Shrink, KeepsProportionsAndNeverEnlarges) {
  const embed::Image wide = shrink(filled(400, 100, 9), 96);
  EXPECT_EQ(wide.width, 96U);
  EXPECT_EQ(wide.height, 24U);
  const embed::Image small = shrink(filled(28, 28, 9), 96);
  EXPECT_EQ(small.width, 28U);
  const embed::Image line = shrink(filled(1000, 1, 9), 50);
  EXPECT_EQ(line.height, 1U);
}

TEST(Shrink, TakesTheMeanOfThePixelsUnderEachNewOne) {
  embed::Image image = filled(2, 2, 0);
  for (std::size_t c = 0; c < 3; ++c) image.pixels[c] = 200;
  const embed::Image one = shrink(image, 1);
  ASSERT_EQ(one.pixels.size(), 3U);
  EXPECT_EQ(one.pixels[0], 50);
}

TEST(MakeThumbnail, GivesAJpegAsADataAddress) {
  const auto small = make_thumbnail(filled(300, 200, 128), 96, 80);
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->width, 96U);
  EXPECT_EQ(small->height, 64U);
  // FF D8 FF in base64.
  EXPECT_EQ(small->uri.rfind("data:image/jpeg;base64,/9j/", 0), 0U);
  EXPECT_LT(small->uri.size(), 2000U);
}

}  // namespace
}  // namespace paco::report
