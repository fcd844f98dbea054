#include "embed/cpu/plain_text.hpp"

#include <fmt/format.h>

#include "embed/cpu/plain_steps.hpp"

namespace paco::embed::plain {
namespace {

void add(const Vector& branch, Vector& state) {
  for (std::size_t j = 0; j < state.size(); ++j) state[j] += branch[j];
}

}  // namespace

std::vector<double> forward_text(const TextSpec& spec, const StateDict& tensors,
                                 std::span<const std::int32_t> tokens) {
  const Steps steps(tensors);
  const auto &pieces = steps.tensor("embeddings.word_embeddings.weight"),
             &positions = steps.tensor("embeddings.position_embeddings.weight"),
             &kinds = steps.tensor("embeddings.token_type_embeddings.weight");
  Map state;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    Vector token(spec.width);
    for (std::size_t j = 0; j < spec.width; ++j)
      token[j] = double{pieces[static_cast<std::size_t>(tokens[t]) * spec.width + j]} +
                 positions[t * spec.width + j] + kinds[j];
    state.push_back(steps.normed("embeddings.LayerNorm", token, spec.epsilon));
  }
  for (std::size_t i = 0; i < spec.depth; ++i) {
    const std::string name = fmt::format("encoder.layer.{}.", i);
    Map qkv;
    for (const Vector& token : state) {
      qkv.emplace_back();
      for (const char* part : {"query", "key", "value"}) {
        const Vector made = steps.linear(name + "attention.self." + part, token);
        qkv.back().insert(qkv.back().end(), made.begin(), made.end());
      }
    }
    const Map mixed = Steps::attended(qkv, spec.heads);
    for (std::size_t t = 0; t < state.size(); ++t) {
      Vector& token = state[t];
      add(steps.linear(name + "attention.output.dense", mixed[t]), token);
      token = steps.normed(name + "attention.output.LayerNorm", token, spec.epsilon);
      Vector hidden = steps.linear(name + "intermediate.dense", token);
      Steps::gelu(hidden);
      add(steps.linear(name + "output.dense", hidden), token);
      token = steps.normed(name + "output.LayerNorm", token, spec.epsilon);
    }
  }
  Vector out = state[0];
  if (spec.pooling == Pooling::mean) {
    for (std::size_t t = 1; t < state.size(); ++t) add(state[t], out);
    for (double& value : out) value /= static_cast<double>(state.size());
  }
  if (!spec.unit_length) return out;
  double square = 0;
  for (const double value : out) square += value * value;
  for (double& value : out) value /= std::max(std::sqrt(square), 1e-12);
  return out;
}

}  // namespace paco::embed::plain
