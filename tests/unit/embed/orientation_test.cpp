// Pictures that are to be turned, as cameras store them, and pictures that one can see through.
#include "embed/images/exif.hpp"
#include "embed/images/image_orientation.hpp"

// jpeglib.h needs cstdio before it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
// clang-format on
#include <gmock/gmock.h>
#include <png.h>
#include <webp/encode.h>

#include <array>
#include <cstring>

#include "embed/images/image_codec.hpp"
#include "unit/io/data_files.hpp"

namespace paco::embed {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kBlock = 16;  // pixels of one colour, so that JPEG keeps them apart

// An EXIF block with two entries, the second of which is the orientation.
std::string exif(int orientation, bool big) {
  const auto number = [big](std::uint32_t value, int width) {
    std::string text;
    for (int i = 0; i < width; ++i)
      text += static_cast<char>(value >> (8 * (big ? width - 1 - i : i)));
    return text;
  };
  return (big ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) +  //
         number(0x010f, 2) + number(2, 2) + number(1, 4) + number(0, 4) +     //
         number(0x0112, 2) + number(3, 2) + number(1, 4) +
         number(static_cast<std::uint32_t>(orientation), 2) + number(0, 2) + number(0, 4);
}

std::vector<std::byte> jpeg(const Image& image, const std::string& exif_data) {
  jpeg_compress_struct state;
  jpeg_error_mgr errors;
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &out, &size);
  state.image_width = static_cast<JDIMENSION>(image.width);
  state.image_height = static_cast<JDIMENSION>(image.height);
  state.input_components = 3;
  state.in_color_space = JCS_RGB;
  jpeg_set_defaults(&state);
  jpeg_set_quality(&state, 100, TRUE);
  jpeg_start_compress(&state, TRUE);
  const std::string marker = std::string("Exif\0\0", 6) + exif_data;
  jpeg_write_marker(&state, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(marker.data()),
                    static_cast<unsigned>(marker.size()));
  while (state.next_scanline < state.image_height) {
    auto* row = const_cast<JSAMPLE*>(image.pixels.data() + 3 * image.width * state.next_scanline);
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  const auto* bytes = reinterpret_cast<const std::byte*>(out);
  std::vector<std::byte> file(bytes, bytes + size);
  std::free(out);
  return file;
}

std::vector<std::byte> png(const Image& image, int channels, const std::string& exif_data) {
  std::string file;
  png_structp state = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(state);
  png_set_write_fn(
      state, &file,
      [](png_structp to, png_bytep data, std::size_t size) {
        static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<char*>(data), size);
      },
      [](png_structp) {});
  png_set_IHDR(state, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), 8,
               channels == 4 ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::string copy = exif_data;
  if (!copy.empty())
    png_set_eXIf_1(state, info, static_cast<png_uint_32>(copy.size()),
                   reinterpret_cast<png_bytep>(copy.data()));
  png_write_info(state, info);
  for (std::size_t y = 0; y < image.height; ++y)
    png_write_row(state,
                  image.pixels.data() + y * image.width * static_cast<std::size_t>(channels));
  png_write_end(state, info);
  png_destroy_write_struct(&state, &info);
  return testing::bytes_of(file);
}

// Three blocks side by side over three others, each of its own grey.
Image upright() {
  Image image{3 * kBlock, 2 * kBlock, 3, {}};
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width; ++x)
      image.pixels.insert(image.pixels.end(), 3,
                          static_cast<std::uint8_t>(40 * (1 + x / kBlock + 3 * (y / kBlock))));
  }
  return image;
}

// What a camera stores so that the orientation makes `image` of it. The standard says at which side
// of the picture the first stored row lies, and at which the first stored column.
Image stored(const Image& image, int orientation) {
  struct Sides {
    const char *row, *column;
  };
  constexpr Sides kSides[] = {{"top", "left"},     {"top", "right"},  {"bottom", "right"},
                              {"bottom", "left"},  {"left", "top"},   {"right", "top"},
                              {"right", "bottom"}, {"left", "bottom"}};
  const Sides sides = kSides[orientation - 1];
  const auto place = [&](std::string_view side, std::size_t i, std::size_t& x, std::size_t& y) {
    if (side == "top") y = i;
    if (side == "bottom") y = image.height - 1 - i;
    if (side == "left") x = i;
    if (side == "right") x = image.width - 1 - i;
  };
  Image result = image;
  result.pixels.clear();
  if (orientation >= 5) std::swap(result.width, result.height);
  for (std::size_t row = 0; row < result.height; ++row) {
    for (std::size_t column = 0; column < result.width; ++column) {
      std::size_t x = 0, y = 0;
      place(sides.row, row, x, y);
      place(sides.column, column, x, y);
      const auto* pixel = image.pixels.data() + 3 * (y * image.width + x);
      result.pixels.insert(result.pixels.end(), pixel, pixel + 3);
    }
  }
  return result;
}

void expect_upright(const Result<Image>& image, int tolerance, const std::string& what) {
  ASSERT_TRUE(image.ok()) << what << image.error().message;
  const Image expected = upright();
  ASSERT_EQ(image->width, expected.width) << what;
  ASSERT_EQ(image->height, expected.height) << what;
  for (std::size_t i = 0; i < expected.pixels.size(); ++i)
    ASSERT_NEAR(image->pixels[i], expected.pixels[i], tolerance) << what << " byte " << i;
}

TEST(Orientation, AllEightAreTurnedUprightInJpegAndPng) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image image = stored(upright(), orientation);
    for (const bool big : {false, true}) {
      const std::string what = std::to_string(orientation) + (big ? " big-endian" : "");
      expect_upright(decode_jpeg(jpeg(image, exif(orientation, big)), "made.jpg"), 3, what);
      expect_upright(decode_png(png(image, 3, exif(orientation, big)), "made.png"), 0, what);
    }
  }
}

// A block with a list of its own for the time and one for the place.
std::string exif_with_notes(bool big, const std::string& time, std::uint32_t seconds_below) {
  const auto number = [big](std::uint32_t value, int width) {
    std::string text;
    for (int i = 0; i < width; ++i)
      text += static_cast<char>(value >> (8 * (big ? width - 1 - i : i)));
    return text;
  };
  const auto entry = [&](std::uint32_t tag, std::uint32_t type, std::uint32_t count,
                         const std::string& value) {
    return number(tag, 2) + number(type, 2) + number(count, 4) + value;
  };
  const auto letter = [](char c) { return std::string{c, 0, 0, 0}; };
  constexpr std::uint32_t kMore = 38, kTime = kMore + 18, kPlace = kTime + 20, kNorth = kPlace + 54,
                          kEast = kNorth + 24;
  std::string out = (big ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) +
                    entry(0x8769, 4, 1, number(kMore, 4)) + entry(0x8825, 4, 1, number(kPlace, 4)) +
                    number(0, 4);
  out += number(1, 2) + entry(0x9003, 2, 20, number(kTime, 4)) + number(0, 4);
  out += time + std::string(20 - time.size(), '\0');
  out += number(4, 2) + entry(1, 2, 2, letter('S')) + entry(2, 5, 3, number(kNorth, 4)) +
         entry(3, 2, 2, letter('E')) + entry(4, 5, 3, number(kEast, 4)) + number(0, 4);
  for (const std::uint32_t one : {33u, 1u, 30u, 1u, 18u, seconds_below}) out += number(one, 4);
  for (const std::uint32_t one : {151u, 1u, 12u, 1u, 0u, 1u}) out += number(one, 4);
  return out;
}

TEST(ExifNotes, SayWhenAndWhereWhateverTheByteOrderAndTheKindOfFile) {
  for (const bool big : {false, true}) {
    const std::string block = exif_with_notes(big, "2026:05:01 12:30:00", 1);
    const Image image = stored(upright(), 1);
    for (const auto& file : {jpeg(image, block), png(image, 3, block)}) {
      const ExifNotes notes = exif_notes(exif_of(file));
      EXPECT_EQ(notes.taken, "2026-05-01 12:30:00");
      EXPECT_EQ(notes.place, "-33.50500, 151.20000");
    }
  }
}

TEST(ExifNotes, AreEmptyIfTheyMakeNoSense) {
  const auto notes_of = [](const std::string& block) {
    return exif_notes(std::as_bytes(std::span(block)));
  };
  const std::string whole = exif_with_notes(true, "2026:05:01 12:30:00", 0);
  EXPECT_EQ(notes_of(whole).place, "") << "a number over 0";
  for (const char* time : {"0000:00:00 00:00:00", "    :  :     :  :  ", "2026:05:01", "<script>"})
    EXPECT_EQ(notes_of(exif_with_notes(true, time, 1)).taken, "") << time;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const ExifNotes notes = notes_of(whole.substr(0, length));
    EXPECT_TRUE(notes.taken.empty() || length >= 76) << length;
  }
}

TEST(Orientation, AReducedJpegIsTurnedTooAndNeverBelowTheSideThatIsAskedFor) {
  Image large;
  large.width = 160;
  large.height = 80;
  large.channels = 3;
  large.pixels.assign(3 * large.width * large.height, 77);
  const auto bytes = jpeg(large, exif(6, true));
  for (const auto& [side, width, height] :
       {std::array<std::size_t, 3>{0, 80, 160}, {20, 10, 20}, {21, 20, 40}, {500, 80, 160}}) {
    const Result<Image> image = decode_reduced(bytes, "made.jpg", side);
    ASSERT_TRUE(image.ok()) << image.error().message;
    EXPECT_EQ(image->width, width) << side;
    EXPECT_EQ(image->height, height) << side;
    EXPECT_NEAR(image->pixels[0], 77, 2);
  }
}

// A plain WebP file, wrapped with the chunks that announce and hold EXIF data.
TEST(Orientation, WebpIsTurnedToo) {
  const Image image = stored(upright(), 6);
  std::uint8_t* out = nullptr;
  const std::size_t size = WebPEncodeLosslessRGB(image.pixels.data(), static_cast<int>(image.width),
                                                 static_cast<int>(image.height),
                                                 static_cast<int>(3 * image.width), &out);
  ASSERT_GT(size, 12u);
  const std::string plain(reinterpret_cast<const char*>(out), size);
  WebPFree(out);
  const auto little = [](std::size_t value, int width) {
    std::string text;
    for (int i = 0; i < width; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  const std::string data = exif(6, false);
  std::string body = "WEBPVP8X" + little(10, 4) + little(8, 4) + little(image.width - 1, 3) +
                     little(image.height - 1, 3) + plain.substr(12) + "EXIF" +
                     little(data.size(), 4) + data;
  const std::string file = "RIFF" + little(body.size(), 4) + body;
  expect_upright(decode_webp(testing::bytes_of(file), "made.webp"), 0, "webp");
}

TEST(Orientation, DamagedExifDataTurnNothing) {
  const std::string good = exif(6, false);
  for (std::size_t length = 0; length < good.size(); ++length) {
    const int found = exif_orientation(testing::bytes_of(good.substr(0, length)));
    EXPECT_TRUE(found == 1 || found == 6) << length;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      const int found = exif_orientation(testing::bytes_of(bad));
      EXPECT_TRUE(found >= 1 && found <= 8) << i;
    }
  }
  EXPECT_EQ(exif_orientation(testing::bytes_of(exif(0, false))), 1);
  EXPECT_EQ(exif_orientation(testing::bytes_of(exif(9, true))), 1);
}

TEST(Alpha, IsLaidOverWhite) {
  const Image image{4, 1, 4, {255, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 128, 100, 200, 50, 51}};
  const auto decoded = decode_png(png(image, 4, ""), "made.png");
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  // 255 - 255 * 128 / 255 = 127; 255 - (255 - c) * 51 / 255 for the last.
  const auto expected = ElementsAre(255, 0, 0, 255, 255, 255, 127, 127, 127, 224, 244, 214);
  EXPECT_THAT(decoded->pixels, expected);
  std::uint8_t* out = nullptr;
  const std::size_t size = WebPEncodeLosslessRGBA(image.pixels.data(), 4, 1, 16, &out);
  const auto* bytes = reinterpret_cast<const std::byte*>(out);
  const auto webp = decode_webp({bytes, size}, "made.webp");
  ASSERT_TRUE(webp.ok()) << webp.error().message;
  EXPECT_THAT(webp->pixels, expected);
  WebPFree(out);
}

}  // namespace
}  // namespace paco::embed
