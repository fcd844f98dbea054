// How a picture is to be turned before it is looked at, as cameras write it into EXIF data.
//
// Cameras store what the sensor saw and note how it was held; a picture that is shown, or given to
// a network, is turned accordingly. Of EXIF this one number is read and nothing else.
#pragma once

#include <cstddef>
#include <span>

#include "embed/images/images.hpp"

namespace paco::embed {

// The number 1 to 8 out of a block of EXIF data, which begins with its byte order ("II" or "MM");
// 1, nothing to do, where it is absent or damaged.
int exif_orientation(std::span<const std::byte> exif);

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
