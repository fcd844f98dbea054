// A file of texts embedded into files: what `paco embed --texts` does.
#pragma once

#include <string>

#include "cli/verb.hpp"
#include "shared/encoder.hpp"

namespace paco {

struct TextSet {
  std::string file, column, label_column;
  bool strict = false;  // a text that cannot be embedded is an error instead of being left out
};

struct TextSetOutputs {
  std::string embeddings;       // "-": npy to a pipe
  std::string labels, numbers;  // may be empty
};

Result<void> embed_text_set(Context& context, const TextSet& set, const EncoderOptions& encoder,
                            const TextSetOutputs& outputs);

}  // namespace paco
