// Turns pictures as their EXIF data say: cameras store the image of the sensor, and note how the
// camera was held (exif.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "embed/images/images.hpp"

namespace paco::embed {

// The image in its display orientation. Orientations 2 to 4 mirror or turn in place, 5 to 8 also
// exchange width and height.
Image oriented(Image image, int orientation);

// RGBA pixels, four bytes each, laid over white into image.pixels, three bytes each.
void blend_on_white(std::span<const std::uint8_t> rgba, Image& image);

// The colours that a loader uses: blended on white (upright), or without the alpha channel
// (literature).
void place_colours(std::span<const std::uint8_t> rgba, ImageLoader loader, Image& image);
// The image turned (upright), or unchanged and marked with the loader (literature).
Image oriented_by(ImageLoader loader, Image image, int orientation);

}  // namespace paco::embed
