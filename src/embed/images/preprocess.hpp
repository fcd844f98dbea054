// From a decoded image to the pixels a network sees: antialiased bicubic resize, crop, flip. All in
// 8-bit RGB, rows from the top, three bytes a pixel; the step to normalised floats is the device's.
//
// The resize gives the same bytes as Pillow's BICUBIC. A view is a pure function of its arguments,
// so it does not matter which thread makes it.
#pragma once

#include <cstdint>
#include <span>

#include "embed/images/images.hpp"

namespace paco::embed {

// The shorter side before the crop: 256 for an input of 224, in proportion otherwise (32 for 28).
int resize_side(int input);

// The part of the resized image that becomes the view.
struct Placement {
  int width = 0;  // of the whole image after resizing
  int height = 0;
  int left = 0;  // of the crop within it
  int top = 0;
  bool flip = false;
};

// The placement for evaluation: the centre. (Offsets are rounded as in torchvision's centre crop.)
Placement centre_placement(int width, int height, int input,
                           ImageLoader loader = ImageLoader::upright);

// The placement of a training view: a random crop, flipped half of the time. The same four numbers
// give the same placement on every machine and for any number of workers.
struct ViewKey {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t sample = 0;  // index in the image source
  std::uint64_t view = 0;
};
Placement random_placement(int width, int height, int input, const ViewKey& key,
                           ImageLoader loader = ImageLoader::upright);

// Resizes and crops in one go (only the crop is computed) into out, input * input * 3 bytes.
void make_view(const Image& image, const Placement& placement, int input,
               std::span<std::uint8_t> out);

}  // namespace paco::embed
