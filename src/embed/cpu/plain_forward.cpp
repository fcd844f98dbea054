#include "embed/cpu/plain_forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "embed/cpu/network.hpp"
#include "embed/cpu/plain_steps.hpp"

namespace paco::embed::plain {
namespace {

class Forward : Steps {
 public:
  Forward(const NetSpec& spec, const StateDict& tensors) : Steps(tensors), spec_(spec) {}

  Vector run(const std::uint8_t* pixels) const {
    const Vector features = spec_.kind == BackboneKind::vit ? vit(pixels) : small(pixels);
    return spec_.dimension > 0 ? linear("head", features) : features;
  }

 private:
  double pixel(const std::uint8_t* pixels, int y, int x, int c) const {
    const double value = pixels[(y * spec_.input + x) * 3 + c] / 255.0;
    return (value - spec_.normalisation.mean[c]) / spec_.normalisation.deviation[c];
  }

  Vector layer_norm(const std::string& name, const Vector& x) const {
    return normed(name, x, 1e-6);
  }

  Vector vit(const std::uint8_t* pixels) const {
    const int side = spec_.input / spec_.patch, p = spec_.patch;
    const auto width = static_cast<std::size_t>(spec_.width);
    const auto &token = tensor("backbone.cls_token"), &stored = tensor("backbone.pos_embed");
    const auto &weight = tensor("backbone.patch_embed.proj.weight"),
               &bias = tensor("backbone.patch_embed.proj.bias");
    const auto positions =
        positions_on_grid(stored.data() + width, static_cast<std::size_t>(spec_.grid), width,
                          static_cast<std::size_t>(side));
    Map state(1 + positions.size() / width, Vector(width));
    for (std::size_t j = 0; j < width; ++j) state[0][j] = double{token[j]} + stored[j];
    for (std::size_t t = 1; t < state.size(); ++t) {
      const int top = static_cast<int>(t - 1) / side * p, left = static_cast<int>(t - 1) % side * p;
      for (std::size_t j = 0; j < width; ++j) {
        double sum = double{bias[j]} + positions[(t - 1) * width + j];
        for (int c = 0; c < 3; ++c)
          for (int y = 0; y < p; ++y)
            for (int x = 0; x < p; ++x)
              sum += weight[((j * 3 + c) * p + y) * p + x] * pixel(pixels, top + y, left + x, c);
        state[t][j] = sum;
      }
    }
    for (int i = 0; i < spec_.depth; ++i) block(fmt::format("backbone.blocks.{}.", i), state);
    return layer_norm("backbone.norm", state[0]);
  }

  void add(const std::string& scale, const Vector& branch, Vector& state) const {
    for (std::size_t j = 0; j < state.size(); ++j)
      state[j] += branch[j] * (spec_.layer_scale ? double{tensor(scale)[j]} : 1.0);
  }

  void block(const std::string& name, Map& state) const {
    Map qkv;
    for (const Vector& token : state)
      qkv.push_back(linear(name + "attn.qkv", layer_norm(name + "norm1", token)));
    const Map mixed = attended(qkv, static_cast<std::size_t>(spec_.heads));
    for (std::size_t t = 0; t < state.size(); ++t)
      add(name + "ls1.gamma", linear(name + "attn.proj", mixed[t]), state[t]);
    for (Vector& token : state) {
      Vector hidden = linear(name + "mlp.fc1", layer_norm(name + "norm2", token));
      gelu(hidden);
      add(name + "ls2.gamma", linear(name + "mlp.fc2", hidden), token);
    }
  }

  // A convolution of a map of `side` by `side` pixels; only every step-th pixel of the result is
  // kept.
  Map convolve(const std::string& name, const Map& map, int side, int kernel, int step) const {
    const auto& weight = tensor(name + ".weight");
    const auto inputs = static_cast<int>(map[0].size());
    const std::size_t area = static_cast<std::size_t>(inputs) * kernel * kernel;
    Map out;
    for (int y = 0; y < side; y += step)
      for (int x = 0; x < side; x += step) {
        Vector sums(weight.size() / area);
        for (std::size_t o = 0; o < sums.size(); ++o)
          for (int i = 0; i < inputs; ++i)
            for (int v = 0; v < kernel; ++v)
              for (int u = 0; u < kernel; ++u) {
                const int from_y = y + v - kernel / 2, from_x = x + u - kernel / 2;
                if (from_y < 0 || from_y >= side || from_x < 0 || from_x >= side) continue;
                sums[o] += weight[o * area + (i * kernel + v) * kernel + u] *
                           map[from_y * side + from_x][i];
              }
        out.push_back(std::move(sums));
      }
    return out;
  }

  Map norm_relu(const std::string& name, const Map& map) const {
    const auto &gain = tensor(name + ".weight"), &shift = tensor(name + ".bias");
    const std::size_t share = map[0].size() / 8;
    const auto count = static_cast<double>(share * map.size());
    Map out = map;
    for (std::size_t first = 0; first < map[0].size(); first += share) {
      double mean = 0, variance = 0;
      for (const Vector& pixel : map)
        for (std::size_t c = first; c < first + share; ++c) mean += pixel[c] / count;
      for (const Vector& pixel : map)
        for (std::size_t c = first; c < first + share; ++c)
          variance += (pixel[c] - mean) * (pixel[c] - mean) / count;
      for (Vector& pixel : out)
        for (std::size_t c = first; c < first + share; ++c)
          pixel[c] =
              std::max(0.0, (pixel[c] - mean) / std::sqrt(variance + 1e-5) * gain[c] + shift[c]);
    }
    return out;
  }

  Vector small(const std::uint8_t* pixels) const {
    int side = spec_.input;
    Map map;
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        map.push_back({pixel(pixels, y, x, 0), pixel(pixels, y, x, 1), pixel(pixels, y, x, 2)});
    for (int i = 0; i < 3; ++i) {
      const std::string name = fmt::format("backbone.stages.{}.", i);
      map = convolve(name + "0", map, side, 3, 2);
      side = (side + 1) / 2;
      const Map looked = convolve(name + "1.conv1", norm_relu(name + "1.norm1", map), side, 3, 1);
      const Map mixed = convolve(name + "1.conv2", norm_relu(name + "1.norm2", looked), side, 1, 1);
      for (std::size_t p = 0; p < map.size(); ++p)
        for (std::size_t c = 0; c < map[p].size(); ++c) map[p][c] += mixed[p][c];
    }
    map = norm_relu("backbone.norm", map);
    Vector features;
    for (std::size_t c = 0; c < map[0].size(); ++c)
      for (int y = 0; y < spec_.grid; ++y)
        for (int x = 0; x < spec_.grid; ++x) {
          const auto from = [&](int i) { return i * side / spec_.grid; };
          const auto to = [&](int i) { return ((i + 1) * side + spec_.grid - 1) / spec_.grid; };
          double sum = 0;
          for (int v = from(y); v < to(y); ++v)
            for (int u = from(x); u < to(x); ++u) sum += map[v * side + u][c];
          features.push_back(sum / ((to(y) - from(y)) * (to(x) - from(x))));
        }
    return features;
  }

  const NetSpec& spec_;
};

}  // namespace

std::vector<double> forward(const NetSpec& spec, const StateDict& tensors,
                            const std::uint8_t* pixels) {
  return Forward(spec, tensors).run(pixels);
}

}  // namespace paco::embed::plain
