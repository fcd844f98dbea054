// Pictures turned as EXIF data asks for: cameras store what the sensor saw and note how it was held
// (exif.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "embed/images/images.hpp"

namespace paco::embed {

// The image as it is to be looked at. 2 to 4 mirror or turn in place, 5 to 8 also exchange width
// and height.
Image oriented(Image image, int orientation);

// RGBA pixels, four bytes each, laid over white into image.pixels, three bytes each.
void blend_on_white(std::span<const std::uint8_t> rgba, Image& image);

// The same as a loader wants it: blended, or the colours alone.
void place_colours(std::span<const std::uint8_t> rgba, ImageLoader loader, Image& image);
// The image turned, unless the loader leaves it as it is stored; marked with the loader.
Image oriented_by(ImageLoader loader, Image image, int orientation);

}  // namespace paco::embed
