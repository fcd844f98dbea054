// The vision transformer: patches, class token, positions, blocks of attention and a two-layer
// perceptron, final norm, head. The feature is the class token after the final norm.
//
// It processes one image at a time: its numbers stay in the second-level cache, and the weights are
// read once for each half of its rows. The steps before and after a product (norm, bias, GELU,
// addition to the state) work on rows that are still in the cache. The scale of the queries and the
// blocks' layer scales are part of the packed weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "embed/cpu/attention.hpp"
#include "embed/cpu/linear.hpp"
#include "embed/cpu/network.hpp"
#include "embed/cpu/norms.hpp"
#include "embed/cpu/rows_in_parts.hpp"

namespace paco::embed {
namespace {

constexpr float kLayerNormEpsilon = 1e-6f;
constexpr std::size_t kReadBeyond = 32;  // numbers that attention may read behind the last row

// One block. The last block only computes the class token, so its queries are a separate layer.
struct Block {
  Norm before_attention, before_perceptron;
  Linear queries_keys_values;   // all but the last block
  Linear queries, keys_values;  // the last block
  Linear projection, widening, narrowing;
};

class Vit final : public Network {
 public:
  Vit(const NetSpec& spec, const TensorTable& tensors, CpuPrecision precision)
      : precision_(precision),
        patch_(static_cast<std::size_t>(spec.patch)),
        side_(static_cast<std::size_t>(spec.input / spec.patch)),
        width_(static_cast<std::size_t>(spec.width)),
        heads_(static_cast<std::size_t>(spec.heads)),
        tokens_(1 + side_ * side_),
        stride_(padded_stride(width_)),
        embedding_(static_cast<std::size_t>(spec.embedding())),
        pixels_(spec.normalisation) {
    load_patches(tensors);
    load_positions(tensors, static_cast<std::size_t>(spec.grid));
    for (int i = 0; i < spec.depth; ++i)
      blocks_.push_back(load_block(tensors, i, i + 1 == spec.depth, spec.layer_scale));
    last_norm_ = tensors.norm("backbone.norm", width_);
    if (spec.dimension > 0)
      head_ = Linear(tensors["head.weight"], tensors["head.bias"], embedding_, width_);
  }

  std::size_t group() const override { return 1; }

  void run(const std::uint8_t* pixels, std::size_t count, float* out,
           Scratch& scratch) const override {
    const std::size_t image = side_ * patch_ * side_ * patch_ * 3;
    for (std::size_t i = 0; i < count; ++i)
      run_one(pixels + i * image, out + i * embedding_, scratch);
  }

 private:
  // (width, 3, p, p) -> (width, p, p, 3): the order in which an image's bytes come.
  void load_patches(const TensorTable& tensors) {
    const float* stored = tensors["backbone.patch_embed.proj.weight"];
    const std::size_t area = patch_ * patch_;
    std::vector<float> turned(width_ * area * 3);
    for (std::size_t j = 0; j < width_; ++j)
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t p = 0; p < area; ++p)
          turned[(j * area + p) * 3 + c] = stored[(j * 3 + c) * area + p];
    to_tokens_ = Linear(turned.data(), tensors["backbone.patch_embed.proj.bias"], width_, area * 3,
                        precision_);
  }

  // The initial value of every token: its position, and for the first one also the class token.
  void load_positions(const TensorTable& tensors, std::size_t grid) {
    const float* stored = tensors["backbone.pos_embed"];
    const float* token = tensors["backbone.cls_token"];
    start_.resize(tokens_ * stride_);
    for (std::size_t j = 0; j < width_; ++j) start_[j] = token[j] + stored[j];
    const auto positions = positions_on_grid(stored + width_, grid, width_, side_);
    for (std::size_t t = 1; t < tokens_; ++t)
      std::copy_n(positions.data() + (t - 1) * width_, width_, start_.data() + t * stride_);
  }

  // Rows `first` to `last` of a stored layer, row i multiplied with scale(i).
  template <class Scale>
  Linear load_rows(const TensorTable& tensors, const std::string& name, std::size_t first,
                   std::size_t last, std::size_t inputs, const Scale& scale) const {
    const float* stored = tensors[name + ".weight"];
    const float* stored_bias = tensors[name + ".bias"];
    std::vector<float> weights(stored + first * inputs, stored + last * inputs);
    std::vector<float> bias(stored_bias + first, stored_bias + last);
    for (std::size_t i = 0; i < last - first; ++i) {
      const float factor = scale(first + i);
      for (std::size_t j = 0; j < inputs; ++j) weights[i * inputs + j] *= factor;
      bias[i] *= factor;
    }
    return Linear(weights.data(), bias.data(), last - first, inputs, precision_);
  }

  Block load_block(const TensorTable& tensors, int number, bool last, bool layer_scale) const {
    const std::string name = fmt::format("backbone.blocks.{}.", number);
    const float query_scale = 1.0f / std::sqrt(static_cast<float>(width_ / heads_));
    const auto of_part = [&](std::size_t row) { return row < width_ ? query_scale : 1.0f; };
    const float* gamma[2] = {nullptr, nullptr};
    if (layer_scale) {
      gamma[0] = tensors[name + "ls1.gamma"];
      gamma[1] = tensors[name + "ls2.gamma"];
    }
    const auto of_branch = [&](int branch) {
      return [g = gamma[branch]](std::size_t row) { return g == nullptr ? 1.0f : g[row]; };
    };
    const auto as_it_is = [](std::size_t) { return 1.0f; };
    Block block;
    block.before_attention = tensors.norm(name + "norm1", width_);
    block.before_perceptron = tensors.norm(name + "norm2", width_);
    const std::string qkv = name + "attn.qkv";
    if (last) {
      block.queries = load_rows(tensors, qkv, 0, width_, width_, of_part);
      block.keys_values = load_rows(tensors, qkv, width_, 3 * width_, width_, of_part);
    } else {
      block.queries_keys_values = load_rows(tensors, qkv, 0, 3 * width_, width_, of_part);
    }
    block.projection = load_rows(tensors, name + "attn.proj", 0, width_, width_, of_branch(0));
    block.widening = load_rows(tensors, name + "mlp.fc1", 0, 4 * width_, width_, as_it_is);
    block.narrowing = load_rows(tensors, name + "mlp.fc2", 0, width_, 4 * width_, of_branch(1));
    return block;
  }

  void cut_patches(const std::uint8_t* pixels, float* patches, std::size_t stride) const {
    const std::size_t line = side_ * patch_ * 3;
    for (std::size_t y = 0; y < side_ * patch_; ++y) {
      const std::uint8_t* from = pixels + y * line;
      for (std::size_t x = 0; x < side_; ++x) {
        float* to = patches + (y / patch_ * side_ + x) * stride + y % patch_ * patch_ * 3;
        for (std::size_t i = 0; i < patch_ * 3; i += 3, from += 3) {
          to[i] = pixels_.value[0][from[0]];
          to[i + 1] = pixels_.value[1][from[1]];
          to[i + 2] = pixels_.value[2][from[2]];
        }
      }
    }
  }

  void norm_rows(const float* state, std::size_t rows, const Norm& norm, float* out) const {
    layer_norm(state, rows, stride_, width_, kLayerNormEpsilon, norm.weights(), out, stride_);
  }

  // state += perceptron(norm(state + projection(mixed))), for some rows of it.
  void finish_block(const Block& block, const float* mixed, std::size_t rows, float* state,
                    Scratch& scratch) const {
    const std::size_t hidden_stride = padded_stride(4 * width_);
    float* normed = scratch_of(scratch.normed, rows * stride_);
    float* hidden = scratch_of(scratch.hidden, rows * hidden_stride);
    block.projection.apply(mixed, rows, stride_, state, stride_, Finish::add);
    norm_rows(state, rows, block.before_perceptron, normed);
    block.widening.apply(normed, rows, stride_, hidden, hidden_stride, Finish::gelu);
    block.narrowing.apply(hidden, rows, hidden_stride, state, stride_, Finish::add);
  }

  void run_block(const Block& block, float* state, Scratch& scratch) const {
    const std::size_t wide_stride = padded_stride(3 * width_);
    float* wide = scratch_of(scratch.wide, tokens_ * wide_stride + kReadBeyond);
    float* mixed = scratch_of(scratch.mixed, tokens_ * stride_);
    over_parts(tokens_, [&](std::size_t first, std::size_t rows) {
      float* normed = scratch_of(scratch.normed, rows * stride_);
      norm_rows(state + first * stride_, rows, block.before_attention, normed);
      block.queries_keys_values.apply(normed, rows, stride_, wide + first * wide_stride,
                                      wide_stride, Finish::store);
    });
    attend({wide, wide + width_, wide + 2 * width_, wide_stride, wide_stride, tokens_, tokens_,
            heads_, width_ / heads_, mixed, stride_},
           scratch.attention);
    over_parts(tokens_, [&](std::size_t first, std::size_t rows) {
      finish_block(block, mixed + first * stride_, rows, state + first * stride_, scratch);
    });
  }

  // Only the class token is used, so the last block computes no other token.
  void run_last_block(const Block& block, float* state, Scratch& scratch) const {
    const std::size_t wide_stride = padded_stride(2 * width_);
    float* wide = scratch_of(scratch.wide, tokens_ * wide_stride + kReadBeyond);
    float* mixed = scratch_of(scratch.mixed, 2 * stride_);
    float* query = mixed + stride_;
    over_parts(tokens_, [&](std::size_t first, std::size_t rows) {
      float* normed = scratch_of(scratch.normed, rows * stride_);
      norm_rows(state + first * stride_, rows, block.before_attention, normed);
      if (first == 0) block.queries.apply(normed, 1, stride_, query, stride_, Finish::store);
      block.keys_values.apply(normed, rows, stride_, wide + first * wide_stride, wide_stride,
                              Finish::store);
    });
    attend({query, wide, wide + width_, stride_, wide_stride, 1, tokens_, heads_, width_ / heads_,
            mixed, stride_},
           scratch.attention);
    finish_block(block, mixed, 1, state, scratch);
  }

  void run_one(const std::uint8_t* pixels, float* out, Scratch& scratch) const {
    const std::size_t patch_stride = padded_stride(patch_ * patch_ * 3);
    float* patches = scratch_of(scratch.input, side_ * side_ * patch_stride);
    float* state = scratch_of(scratch.state, tokens_ * stride_);
    cut_patches(pixels, patches, patch_stride);
    std::copy(start_.begin(), start_.end(), state);
    to_tokens_.apply(patches, side_ * side_, patch_stride, state + stride_, stride_, Finish::add);
    for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) run_block(blocks_[i], state, scratch);
    run_last_block(blocks_.back(), state, scratch);
    float* token = scratch_of(scratch.normed, stride_);
    norm_rows(state, 1, last_norm_, token);
    if (head_.outputs() > 0)
      head_.apply(token, 1, stride_, out, embedding_, Finish::store);
    else
      std::copy_n(token, width_, out);
  }

  CpuPrecision precision_;
  std::size_t patch_, side_, width_, heads_, tokens_, stride_, embedding_;
  PixelTable pixels_;
  Linear to_tokens_;
  std::vector<float> start_;  // (tokens, stride)
  std::vector<Block> blocks_;
  Norm last_norm_;
  Linear head_;
};

}  // namespace

std::unique_ptr<Network> make_vit_network(const NetSpec& spec, const TensorTable& tensors,
                                          CpuPrecision precision) {
  return std::make_unique<Vit>(spec, tensors, precision);
}

}  // namespace paco::embed
