#include "embed/cpu/text_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/try.hpp"
#include "embed/cpu/attention.hpp"
#include "embed/cpu/linear.hpp"
#include "embed/cpu/rows_in_parts.hpp"

namespace paco::embed {
namespace {

constexpr std::size_t kReadBehind = 32;  // numbers that attention may read behind the last row

// One block: attention, then a two-layer perceptron. The result of each is added to its input, and
// the sum is normalised.
struct TextBlock {
  Linear queries_keys_values, projection, widening, narrowing;
  Norm after_attention, after_perceptron;
};

class Bert final : public TextNetwork {
 public:
  Bert(const TextSpec& spec, const TensorTable& tensors, CpuPrecision precision)
      : spec_(spec), stride_(padded_stride(spec.width)) {
    const float* pieces = tensors["embeddings.word_embeddings.weight"];
    pieces_.assign(pieces, pieces + spec.vocabulary * spec.width);
    // Every text has one part, so the embedding of its kind is added to the positions in advance.
    const float* positions = tensors["embeddings.position_embeddings.weight"];
    const float* kind = tensors["embeddings.token_type_embeddings.weight"];
    positions_.assign(positions, positions + spec.positions * spec.width);
    for (std::size_t i = 0; i < positions_.size(); ++i) positions_[i] += kind[i % spec.width];
    first_norm_ = tensors.norm("embeddings.LayerNorm", spec.width);
    for (std::size_t i = 0; i < spec.depth; ++i)
      blocks_.push_back(load_block(tensors, fmt::format("encoder.layer.{}.", i), precision));
  }

  void run(std::span<const std::int32_t> tokens, std::span<const std::size_t> ends, float* out,
           Scratch& scratch) const override {
    float* state = scratch_of(scratch.state, tokens.size() * stride_);
    std::size_t row = 0;
    for (const std::size_t end : ends)
      for (std::size_t position = 0; row < end; ++row, ++position) {
        const float* piece = pieces_.data() + static_cast<std::size_t>(tokens[row]) * spec_.width;
        const float* place = positions_.data() + position * spec_.width;
        float* to = state + row * stride_;
        for (std::size_t j = 0; j < spec_.width; ++j) to[j] = piece[j] + place[j];
      }
    norm_rows(state, tokens.size(), first_norm_);
    for (const TextBlock& block : blocks_) run_block(block, tokens.size(), ends, state, scratch);
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      pool(state + first * stride_, end - first, out);
      out += spec_.width;
      first = end;
    }
  }

 private:
  // The three layers before attention combined into one; the scale of the queries is part of the
  // weights.
  TextBlock load_block(const TensorTable& tensors, const std::string& name,
                       CpuPrecision precision) const {
    const std::size_t width = spec_.width;
    std::vector<float> weights, bias;
    for (const char* part : {"query", "key", "value"}) {
      const std::string layer = name + "attention.self." + part;
      const float *stored = tensors[layer + ".weight"], *stored_bias = tensors[layer + ".bias"];
      weights.insert(weights.end(), stored, stored + width * width);
      bias.insert(bias.end(), stored_bias, stored_bias + width);
    }
    const float scale = 1.0f / std::sqrt(static_cast<float>(width / spec_.heads));
    for (std::size_t i = 0; i < width * width; ++i) weights[i] *= scale;
    for (std::size_t i = 0; i < width; ++i) bias[i] *= scale;
    const auto layer = [&](const std::string& part, std::size_t outputs, std::size_t inputs) {
      return Linear(tensors[name + part + ".weight"], tensors[name + part + ".bias"], outputs,
                    inputs, precision);
    };
    TextBlock block;
    block.queries_keys_values = Linear(weights.data(), bias.data(), 3 * width, width, precision);
    block.projection = layer("attention.output.dense", width, width);
    block.widening = layer("intermediate.dense", spec_.hidden, width);
    block.narrowing = layer("output.dense", width, spec_.hidden);
    block.after_attention = tensors.norm(name + "attention.output.LayerNorm", width);
    block.after_perceptron = tensors.norm(name + "output.LayerNorm", width);
    return block;
  }

  // In place: a row is read before it is written.
  void norm_rows(float* state, std::size_t rows, const Norm& norm) const {
    layer_norm(state, rows, stride_, spec_.width, spec_.epsilon, norm.weights(), state, stride_);
  }

  void run_block(const TextBlock& block, std::size_t tokens, std::span<const std::size_t> ends,
                 float* state, Scratch& scratch) const {
    const std::size_t width = spec_.width, wide_stride = padded_stride(3 * width);
    const std::size_t hidden_stride = padded_stride(spec_.hidden);
    float* wide = scratch_of(scratch.wide, tokens * wide_stride + kReadBehind);
    float* mixed = scratch_of(scratch.mixed, tokens * stride_);
    over_parts(tokens, [&](std::size_t first, std::size_t rows) {
      block.queries_keys_values.apply(state + first * stride_, rows, stride_,
                                      wide + first * wide_stride, wide_stride, Finish::store);
    });
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      const float* from = wide + first * wide_stride;
      attend({from, from + width, from + 2 * width, wide_stride, wide_stride, end - first,
              end - first, spec_.heads, width / spec_.heads, mixed + first * stride_, stride_},
             scratch.attention);
      first = end;
    }
    over_parts(tokens, [&](std::size_t begin, std::size_t rows) {
      float* part = state + begin * stride_;
      float* hidden = scratch_of(scratch.hidden, rows * hidden_stride);
      block.projection.apply(mixed + begin * stride_, rows, stride_, part, stride_, Finish::add);
      norm_rows(part, rows, block.after_attention);
      block.widening.apply(part, rows, stride_, hidden, hidden_stride, Finish::gelu);
      block.narrowing.apply(hidden, rows, hidden_stride, part, stride_, Finish::add);
      norm_rows(part, rows, block.after_perceptron);
    });
  }

  void pool(const float* state, std::size_t tokens, float* out) const {
    std::copy_n(state, spec_.width, out);
    if (spec_.pooling == Pooling::mean) {
      for (std::size_t t = 1; t < tokens; ++t)
        for (std::size_t j = 0; j < spec_.width; ++j) out[j] += state[t * stride_ + j];
      for (std::size_t j = 0; j < spec_.width; ++j) out[j] /= static_cast<float>(tokens);
    }
    if (!spec_.unit_length) return;
    double square = 0;
    for (std::size_t j = 0; j < spec_.width; ++j) square += double{out[j]} * out[j];
    constexpr double kSmallest = 1e-12;
    const double length = std::max(std::sqrt(square), kSmallest);
    for (std::size_t j = 0; j < spec_.width; ++j) out[j] = static_cast<float>(out[j] / length);
  }

  TextSpec spec_;
  std::size_t stride_;
  std::vector<float> pieces_, positions_;  // (vocabulary, width), (positions, width)
  Norm first_norm_;
  std::vector<TextBlock> blocks_;
};

}  // namespace

Result<std::unique_ptr<TextNetwork>> make_text_network(const TextSpec& spec,
                                                       const StateDict& tensors,
                                                       const std::string& origin,
                                                       CpuPrecision precision) {
  PACO_ASSIGN(const auto matched, match_text_tensors(spec, tensors, origin));
  const std::vector<TensorSlot> slots = text_slots(spec);
  TensorTable table;
  for (std::size_t i = 0; i < slots.size(); ++i) table.add(slots[i].name, matched[i]);
  return std::unique_ptr<TextNetwork>(std::make_unique<Bert>(spec, table, precision));
}

}  // namespace paco::embed
