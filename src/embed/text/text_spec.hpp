// What a text encoder is, in numbers, and where a folder in the Hugging Face layout says so:
// config.json the network, 1_Pooling/config.json and modules.json what becomes of its tokens,
// sentence_bert_config.json how many tokens a text has at most.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "embed/weights/weights.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// How the tokens of a text become one embedding.
enum class Pooling { mean, first };  // of all tokens, special ones included; the first one, [CLS]

// BERT: learned positions, post-norm blocks, GELU.
struct TextSpec {
  std::size_t width = 384;      // numbers of a token
  std::size_t depth = 6;        // blocks
  std::size_t heads = 12;       // of attention, each of width / heads
  std::size_t hidden = 1536;    // numbers inside a block's perceptron
  std::size_t vocabulary = 0;   // pieces
  std::size_t positions = 512;  // tokens of a text, at most
  std::size_t kinds = 2;        // of parts of a text; the first one is what texts here are
  float epsilon = 1e-12f;       // of the norms
  Pooling pooling = Pooling::mean;
  bool unit_length = true;  // embeddings are brought to length 1
  std::size_t most_tokens = 256;

  bool operator==(const TextSpec&) const = default;
};

std::string_view pooling_name(Pooling pooling);
// "bert, 6 blocks of 384": for people.
std::string text_network_name(const TextSpec& spec);

// The network that config.json describes. Unsupported options are errors.
Result<TextSpec> parse_text_config(std::string_view text, const std::string& name);
// Reads all files of a folder.
Result<TextSpec> read_text_spec(const std::string& folder);
// The weights file of such a folder: model.safetensors, the only other .safetensors file, or
// pytorch_model.bin.
Result<std::string> find_encoder_weights(const std::string& folder);

// All tensors that the network needs, with Hugging Face's names.
std::vector<TensorSlot> text_slots(const TextSpec& spec);

// The tensors of a published file in the order of text_slots: without the prefix "bert.", and
// without what only training needs. What does not fit is named.
Result<std::vector<const NamedTensor*>> match_text_tensors(const TextSpec& spec,
                                                           const StateDict& tensors,
                                                           const std::string& origin);

}  // namespace paco::embed
