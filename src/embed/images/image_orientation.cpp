#include "embed/images/image_orientation.hpp"

#include <algorithm>
#include <cassert>

namespace paco::embed {
namespace {

// Numbers of the block's own byte order; bytes beyond the end are zero.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes)
      : bytes_(bytes), big_(bytes.size() > 1 && bytes[0] == std::byte{'M'}) {}

  std::uint32_t number(std::size_t offset, std::size_t width) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t at = offset + (big_ ? i : width - 1 - i);
      value = value << 8 | (at < bytes_.size() ? std::to_integer<std::uint32_t>(bytes_[at]) : 0);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool big_;
};

constexpr std::size_t kEntryBytes = 12;
constexpr std::uint32_t kOrientationTag = 0x0112, kShortType = 3;

}  // namespace

int exif_orientation(std::span<const std::byte> exif) {
  const Tiff tiff(exif);
  const bool marked = exif.size() > 8 && exif[0] == exif[1] &&
                      (exif[0] == std::byte{'I'} || exif[0] == std::byte{'M'});
  if (!marked || tiff.number(2, 2) != 42) return 1;
  const std::size_t list = tiff.number(4, 4);
  const std::uint32_t entries = tiff.number(list, 2);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = list + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > exif.size()) return 1;
    if (tiff.number(entry, 2) != kOrientationTag) continue;
    const std::uint32_t value = tiff.number(entry + 8, 2);
    const bool valid = tiff.number(entry + 2, 2) == kShortType && value >= 1 && value <= 8;
    return valid ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image oriented(Image image, int orientation) {
  assert(orientation >= 1 && orientation <= 8 && image.channels == 3);
  if (orientation == 1) return image;
  // Where the first stored row and column lie in the picture as it is looked at.
  const bool rows_are_columns = orientation >= 5;
  const bool row_from_end = orientation == 3 || orientation == 4 || orientation == 6 ||
                            orientation == 7;  // bottom, or right side
  const bool column_from_end = orientation == 2 || orientation == 3 || orientation == 7 ||
                               orientation == 8;  // right side, or bottom
  const std::size_t width = image.width, height = image.height;
  Image turned = image;
  if (rows_are_columns) std::swap(turned.width, turned.height);
  for (std::size_t r = 0; r < height; ++r) {
    const std::size_t row = row_from_end ? height - 1 - r : r;
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t column = column_from_end ? width - 1 - c : c;
      const std::size_t to =
          rows_are_columns ? column * turned.width + row : row * turned.width + column;
      std::copy_n(image.pixels.data() + 3 * (r * width + c), 3, turned.pixels.data() + 3 * to);
    }
  }
  return turned;
}

void blend_on_white(std::span<const std::uint8_t> rgba, Image& image) {
  const std::size_t pixels = rgba.size() / 4;
  image.pixels.resize(3 * pixels);
  for (std::size_t p = 0; p < pixels; ++p) {
    const unsigned alpha = rgba[4 * p + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const unsigned blended = rgba[4 * p + c] * alpha + 255 * (255 - alpha);
      image.pixels[3 * p + c] = static_cast<std::uint8_t>((blended + 127) / 255);
    }
  }
}

void place_colours(std::span<const std::uint8_t> rgba, ImageLoader loader, Image& image) {
  if (loader == ImageLoader::upright) return blend_on_white(rgba, image);
  for (std::size_t p = 0; 4 * p < rgba.size(); ++p)
    std::copy_n(rgba.begin() + static_cast<std::ptrdiff_t>(4 * p), 3,
                image.pixels.begin() + static_cast<std::ptrdiff_t>(3 * p));
}

Image oriented_by(ImageLoader loader, Image image, int orientation) {
  if (loader == ImageLoader::upright) return oriented(std::move(image), orientation);
  image.loader = loader;
  return image;
}

}  // namespace paco::embed
