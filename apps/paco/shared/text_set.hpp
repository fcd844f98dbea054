// Embeds a file of texts into files, for `paco embed --texts`.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/verb.hpp"
#include "io/embeddings.hpp"
#include "paco/model.hpp"
#include "shared/encoder.hpp"

namespace paco {

struct TextSet {
  std::string file, column, label_column;
  bool strict = false;  // fail if a text cannot be embedded; otherwise leave it out
};

struct TextSetOutputs {
  std::string embeddings;       // "-": npy to standard output
  std::string labels, numbers;  // may be empty
  bool resume = false;          // continue an interrupted run
};

Result<void> embed_text_set(Context& context, const TextSet& set, const EncoderOptions& encoder,
                            const TextSetOutputs& outputs);

// Embeds a file of texts as the input of a stream; the embeddings must fit the model. `encoder` is
// --encoder; if it is empty, the encoder of the model's record is used, if 'paco models' has it.
struct TextInput {
  std::shared_ptr<const std::vector<std::byte>> bytes;  // the data of `source`
  std::unique_ptr<io::EmbeddingSource> source;
  // One per row, for a journal: a key made from the text, and the text as an attribute.
  std::vector<std::string> keys, attributes;
};
Result<TextInput> open_text_input(Context& context, const TextSet& set, const std::string& encoder,
                                  const Model& model);

}  // namespace paco
