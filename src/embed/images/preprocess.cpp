#include "embed/images/preprocess.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "embed/images/images.hpp"

namespace paco::embed {
namespace {

// Weights are integers with this many bits behind the point: 8 bits of pixel, 2 of head room for
// weights whose absolute values sum to more than one.
constexpr int kBits = 32 - 8 - 2;
constexpr int kChannels = 3;

// The cubic of Keys with a = -1/2.
double cubic(double x) {
  constexpr double a = -0.5;
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// For each of `count` outputs from `first` on: its inputs and their weights.
struct Taps {
  int width = 0;                     // weights kept per output
  std::vector<int> begin;            // first input of each output
  std::vector<int> size;             // number of inputs
  std::vector<std::int32_t> weight;  // (count, width)
};

// Resizing a line of `in` pixels to `out`. When shrinking, the cubic is stretched over as many
// inputs as an output covers: that is the antialiasing.
Taps make_taps(int in, int out, int first, int count) {
  const double scale = static_cast<double>(in) / out;
  const double stretch = std::max(scale, 1.0);
  const double reach = 2.0 * stretch;
  Taps taps;
  taps.width = static_cast<int>(std::ceil(reach)) * 2 + 1;
  taps.begin.resize(count);
  taps.size.resize(count);
  taps.weight.resize(static_cast<std::size_t>(count) * taps.width);
  std::vector<double> exact(taps.width);
  for (int i = 0; i < count; ++i) {
    const double centre = (first + i + 0.5) * scale;
    const int begin = std::max(0, static_cast<int>(centre - reach + 0.5));
    const int end = std::min(in, static_cast<int>(centre + reach + 0.5));
    double sum = 0;
    for (int j = begin; j < end; ++j)
      sum += exact[j - begin] = cubic((j - centre + 0.5) * (1.0 / stretch));
    taps.begin[i] = begin;
    taps.size[i] = end - begin;
    for (int j = 0; j < end - begin; ++j) {
      const double value = exact[j] / sum * (1 << kBits);
      taps.weight[static_cast<std::size_t>(i) * taps.width + j] =
          static_cast<std::int32_t>(value < 0 ? value - 0.5 : value + 0.5);
    }
  }
  return taps;
}

std::uint8_t to_pixel(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kBits, 0, 255));
}

// One image line -> `input` pixels of the view's line, mirrored if `flip` is set.
void resize_line(const std::uint8_t* line, const Taps& taps, bool flip, int input,
                 std::uint8_t* out) {
  for (int x = 0; x < input; ++x) {
    const std::int32_t* weight = taps.weight.data() + static_cast<std::size_t>(x) * taps.width;
    const std::uint8_t* from = line + static_cast<std::size_t>(taps.begin[x]) * kChannels;
    std::int32_t red = 1 << (kBits - 1), green = red, blue = red;
    for (int j = 0; j < taps.size[x]; ++j, from += kChannels) {
      red += from[0] * weight[j];
      green += from[1] * weight[j];
      blue += from[2] * weight[j];
    }
    std::uint8_t* to = out + static_cast<std::size_t>(flip ? input - 1 - x : x) * kChannels;
    to[0] = to_pixel(red);
    to[1] = to_pixel(green);
    to[2] = to_pixel(blue);
  }
}

// Half of a difference, halves to even: what Python's round does in the reference code.
int centre_offset(int whole, int part) {
  const int difference = whole - part, half = difference / 2;
  return difference % 2 != 0 && half % 2 != 0 ? half + 1 : half;
}

// The whole image with its shorter side resized, the longer one in proportion, rounded to nearest,
// or truncated as in torchvision.
Placement resized(int width, int height, int input, ImageLoader loader) {
  const std::int64_t side = resize_side(input);
  const auto in_proportion = [&](std::int64_t longer, std::int64_t shorter) {
    if (loader == ImageLoader::literature) return static_cast<int>(side * longer / shorter);
    return static_cast<int>((2 * side * longer + shorter) / (2 * shorter));
  };
  Placement placement;
  placement.width = width <= height ? static_cast<int>(side) : in_proportion(width, height);
  placement.height = width <= height ? in_proportion(height, width) : static_cast<int>(side);
  return placement;
}

}  // namespace

int resize_side(int input) { return (input * 256 + 112) / 224; }

Placement centre_placement(int width, int height, int input, ImageLoader loader) {
  Placement placement = resized(width, height, input, loader);
  placement.left = centre_offset(placement.width, input);
  placement.top = centre_offset(placement.height, input);
  return placement;
}

Placement random_placement(int width, int height, int input, const ViewKey& key,
                           ImageLoader loader) {
  Placement placement = resized(width, height, input, loader);
  // One stream of numbers per (epoch, sample, view). Two rounds of seeding keep neighbouring keys
  // apart.
  core::Random outer(key.seed, key.epoch);
  core::Random random(outer.next64() ^ key.view, key.sample);
  placement.left = static_cast<int>(random.below(placement.width - input + 1));
  placement.top = static_cast<int>(random.below(placement.height - input + 1));
  placement.flip = random.below(2) == 1;
  return placement;
}

void make_view(const Image& image, const Placement& placement, int input,
               std::span<std::uint8_t> out) {
  assert(image.channels == kChannels && image.width > 0 && image.height > 0);
  assert(out.size() == static_cast<std::size_t>(input) * input * kChannels);
  const std::size_t line = static_cast<std::size_t>(input) * kChannels;
  const Taps across =
      make_taps(static_cast<int>(image.width), placement.width, placement.left, input);
  const Taps down =
      make_taps(static_cast<int>(image.height), placement.height, placement.top, input);

  // Only the image rows that the crop needs.
  const int first = down.begin.front();
  const int last = down.begin.back() + down.size.back();
  std::vector<std::uint8_t> lines(static_cast<std::size_t>(last - first) * line);
  for (int y = first; y < last; ++y)
    resize_line(image.pixels.data() + static_cast<std::size_t>(y) * image.width * kChannels, across,
                placement.flip, input, lines.data() + static_cast<std::size_t>(y - first) * line);

  std::vector<std::int32_t> sums(line);
  for (int y = 0; y < input; ++y) {
    std::fill(sums.begin(), sums.end(), 1 << (kBits - 1));
    for (int j = 0; j < down.size[y]; ++j) {
      const std::int32_t weight = down.weight[static_cast<std::size_t>(y) * down.width + j];
      const std::uint8_t* from =
          lines.data() + static_cast<std::size_t>(down.begin[y] - first + j) * line;
      for (std::size_t x = 0; x < line; ++x) sums[x] += from[x] * weight;
    }
    std::uint8_t* to = out.data() + static_cast<std::size_t>(y) * line;
    for (std::size_t x = 0; x < line; ++x) to[x] = to_pixel(sums[x]);
  }
}

}  // namespace paco::embed
