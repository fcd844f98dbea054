// Many texts to embeddings, with progress; and into a file with the record of what made them.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "core/progress.hpp"
#include "embed/text/text_encoder.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::embed {

// Called in order with a block of rows, the first of which is of text `first`.
using TextSink = std::function<Result<void>(std::size_t first, Rows<const float> embeddings)>;

// The numbers of texts in the report count from the first of `texts`.
Result<EncodedTexts> embed_texts(std::span<const std::string> texts, TextEncoder& encoder,
                                 const TextSink& sink, core::Progress& progress,
                                 std::stop_token stop = {});

// `out`: kind of file by its name, see io/embedding_writer.hpp. At an interruption nothing stays.
Result<EncodedTexts> embed_texts_to_file(std::span<const std::string> texts, TextEncoder& encoder,
                                         const std::string& out, core::Progress& progress,
                                         std::stop_token stop = {});

}  // namespace paco::embed
