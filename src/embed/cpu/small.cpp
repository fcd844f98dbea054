// The compact residual network that `paco train` makes for images of 28 to 64 px: three stages of a
// convolution that halves the image and a residual step, group norms, the last map in cells of
// grid by grid, head.
//
// Maps are (pixels, channels). A convolution is one matrix product over the neighbourhoods of all
// pixels, written side by side. Images pass the stages one by one and the head together, because
// the head has many weights for little computation.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "embed/cpu/linear.hpp"
#include "embed/cpu/network.hpp"
#include "embed/cpu/norms.hpp"

namespace paco::embed {
namespace {

constexpr std::size_t kGroups = 8;
constexpr float kNormEpsilon = 1e-5f;
constexpr std::size_t kReach = 3;  // side of a neighbourhood

struct Stage {
  std::size_t from, width;  // channels before and after
  Linear shrink, look, mix;
  Norm before_look, before_mix;
};

// For every step-th pixel of a square map of `side` by `side` pixels, writes its neighbourhood,
// with zeros beyond the edge: (out side * out side, 9 * channels), rows `stride` apart.
void write_neighbourhoods(const float* map, std::size_t side, std::size_t channels,
                          std::size_t step, float* out, std::size_t stride) {
  const std::size_t out_side = (side - 1) / step + 1;
  for (std::size_t y = 0; y < out_side; ++y)
    for (std::size_t x = 0; x < out_side; ++x) {
      float* to = out + (y * out_side + x) * stride;
      for (std::size_t v = 0; v < kReach; ++v)
        for (std::size_t u = 0; u < kReach; ++u, to += channels) {
          const std::size_t from_y = y * step + v, from_x = x * step + u;  // one too large each
          if (from_y < 1 || from_y > side || from_x < 1 || from_x > side)
            std::fill_n(to, channels, 0.0f);
          else
            std::memcpy(to, map + ((from_y - 1) * side + from_x - 1) * channels,
                        channels * sizeof(float));
        }
    }
}

class Small final : public Network {
 public:
  Small(const NetSpec& spec, const TensorTable& tensors, CpuPrecision precision)
      : precision_(precision),
        input_(static_cast<std::size_t>(spec.input)),
        grid_(static_cast<std::size_t>(spec.grid)),
        width_(static_cast<std::size_t>(spec.width)),
        features_(static_cast<std::size_t>(spec.features())),
        embedding_(static_cast<std::size_t>(spec.embedding())),
        pixels_(spec.normalisation) {
    std::size_t from = 3;
    for (int i = 0; i < 3; ++i) {
      const std::size_t width = width_ >> (2 - i);
      const std::string name = fmt::format("backbone.stages.{}.", i);
      Stage stage;
      stage.from = from;
      stage.width = width;
      stage.shrink = load_convolution(tensors[name + "0.weight"], width, from, kReach);
      stage.before_look = tensors.norm(name + "1.norm1", width);
      stage.look = load_convolution(tensors[name + "1.conv1.weight"], width, width, kReach);
      stage.before_mix = tensors.norm(name + "1.norm2", width);
      stage.mix = load_convolution(tensors[name + "1.conv2.weight"], width, width, 1);
      stages_.push_back(std::move(stage));
      from = width;
    }
    last_norm_ = tensors.norm("backbone.norm", width_);
    if (spec.dimension > 0)
      head_ = Linear(tensors["head.weight"], tensors["head.bias"], embedding_, features_);
  }

  std::size_t group() const override { return 24; }

  void run(const std::uint8_t* pixels, std::size_t count, float* out,
           Scratch& scratch) const override {
    const bool has_head = head_.outputs() > 0;
    const std::size_t stride = has_head ? padded_stride(features_) : features_;
    float* features = has_head ? scratch_of(scratch.mixed, count * stride) : out;
    for (std::size_t i = 0; i < count; ++i)
      run_one(pixels + i * input_ * input_ * 3, features + i * stride, scratch);
    if (has_head) head_.apply(features, count, stride, out, embedding_, Finish::store);
  }

 private:
  // (outputs, inputs, k, k) -> (outputs, k, k, inputs): the order of a neighbourhood.
  Linear load_convolution(const float* stored, std::size_t outputs, std::size_t inputs,
                          std::size_t kernel) const {
    const std::size_t area = kernel * kernel;
    std::vector<float> turned(outputs * inputs * area);
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t k = 0; k < area; ++k)
          turned[(o * area + k) * inputs + i] = stored[(o * inputs + i) * area + k];
    return Linear(turned.data(), nullptr, outputs, inputs * area, precision_);
  }

  // Convolves a map with `layer`, into `out`. Returns the side of the new map.
  static std::size_t convolve(const Linear& layer, const float* map, std::size_t side,
                              std::size_t step, float* out, Scratch& scratch) {
    const std::size_t out_side = (side - 1) / step + 1, pixels = out_side * out_side;
    const std::size_t stride = padded_stride(layer.inputs());
    float* around = scratch_of(scratch.wide, pixels * stride);
    write_neighbourhoods(map, side, layer.inputs() / (kReach * kReach), step, around, stride);
    layer.apply(around, pixels, stride, out, layer.outputs(), Finish::store);
    return out_side;
  }

  void run_one(const std::uint8_t* pixels, float* out, Scratch& scratch) const {
    std::size_t side = input_;
    float* map = scratch_of(scratch.input, side * side * 3);
    for (std::size_t i = 0; i < side * side * 3; ++i) map[i] = pixels_.value[i % 3][pixels[i]];
    for (const Stage& stage : stages_) {
      const std::size_t out_side = (side - 1) / 2 + 1;
      const std::size_t numbers = out_side * out_side * stage.width;
      // Three maps are used in turn: the state, its norm, and the result of the first convolution.
      float* state = scratch_of(scratch.state, numbers);
      side = convolve(stage.shrink, map, side, 2, state, scratch);
      const std::size_t area = side * side;
      float* normed = scratch_of(scratch.normed, numbers);
      float* looked = scratch_of(scratch.hidden, numbers);
      group_norm_relu(state, area, stage.width, kGroups, kNormEpsilon, stage.before_look.weights(),
                      normed);
      convolve(stage.look, normed, side, 1, looked, scratch);
      group_norm_relu(looked, area, stage.width, kGroups, kNormEpsilon, stage.before_mix.weights(),
                      normed);
      stage.mix.apply(normed, area, stage.width, state, stage.width, Finish::add);
      map = scratch_of(scratch.input, numbers);
      std::copy_n(state, numbers, map);
    }
    float* normed = scratch_of(scratch.normed, side * side * width_);
    group_norm_relu(map, side * side, width_, kGroups, kNormEpsilon, last_norm_.weights(), normed);
    average_cells(normed, side, out);
  }

  // (side * side, width) -> (width, grid, grid), each cell the mean of the pixels that it covers.
  void average_cells(const float* map, std::size_t side, float* out) const {
    std::vector<float> sums(width_);
    for (std::size_t y = 0; y < grid_; ++y)
      for (std::size_t x = 0; x < grid_; ++x) {
        const std::size_t top = y * side / grid_, bottom = ((y + 1) * side + grid_ - 1) / grid_;
        const std::size_t left = x * side / grid_, right = ((x + 1) * side + grid_ - 1) / grid_;
        std::fill(sums.begin(), sums.end(), 0.0f);
        for (std::size_t v = top; v < bottom; ++v)
          for (std::size_t u = left; u < right; ++u)
            for (std::size_t c = 0; c < width_; ++c) sums[c] += map[(v * side + u) * width_ + c];
        const auto count = static_cast<float>((bottom - top) * (right - left));
        for (std::size_t c = 0; c < width_; ++c) out[(c * grid_ + y) * grid_ + x] = sums[c] / count;
      }
  }

  CpuPrecision precision_;
  std::size_t input_, grid_, width_, features_, embedding_;
  PixelTable pixels_;
  std::vector<Stage> stages_;
  Norm last_norm_;
  Linear head_;
};

}  // namespace

std::unique_ptr<Network> make_small_network(const NetSpec& spec, const TensorTable& tensors,
                                            CpuPrecision precision) {
  return std::make_unique<Small>(spec, tensors, precision);
}

}  // namespace paco::embed
