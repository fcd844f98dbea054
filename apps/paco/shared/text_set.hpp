// A file of texts embedded into files: what `paco embed --texts` does.
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
  bool strict = false;  // a text that cannot be embedded is an error instead of being left out
};

struct TextSetOutputs {
  std::string embeddings;       // "-": npy to a pipe
  std::string labels, numbers;  // may be empty
  bool resume = false;          // go on where an interrupted run stopped
};

Result<void> embed_text_set(Context& context, const TextSet& set, const EncoderOptions& encoder,
                            const TextSetOutputs& outputs);

// The embeddings of a file of texts as an input of a stream, for a model that they must fit.
// `encoder` is --encoder, or empty: that of the model's record, if it is one of 'paco models'.
struct TextInput {
  std::shared_ptr<const std::vector<std::byte>> bytes;  // what the source reads
  std::unique_ptr<io::EmbeddingSource> source;
  // Of each row, for a journal: a key made of the text, and the text as an attribute.
  std::vector<std::string> keys, attributes;
};
Result<TextInput> open_text_input(Context& context, const TextSet& set, const std::string& encoder,
                                  const Model& model);

}  // namespace paco
