#include "embed/images/image_orientation.hpp"

#include <algorithm>
#include <cassert>

namespace paco::embed {

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
