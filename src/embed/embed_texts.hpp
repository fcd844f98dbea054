// Many texts to embeddings, with progress; and into a file with the record of what made them.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "core/progress.hpp"
#include "embed/embed_images.hpp"
#include "embed/text/text_encoder.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::embed {

// Called in order with a block of rows, the first of which is of text `first`, and what became of
// these texts.
using TextSink = std::function<Result<void>(std::size_t first, Rows<const float> embeddings,
                                            const EncodedTexts& block)>;

// The numbers of texts in the report count from the first of `texts`.
Result<EncodedTexts> embed_texts(std::span<const std::string> texts, TextEncoder& encoder,
                                 const TextSink& sink, core::Progress& progress,
                                 std::stop_token stop = {});

// As embed_to_file of images; `batch`, `threads` and `strict` play no part, and the record is the
// encoder's.
Result<EmbedReport> embed_texts_to_file(std::span<const std::string> texts, TextEncoder& encoder,
                                        EmbedFileOptions options, core::Progress& progress,
                                        std::stop_token stop = {});

}  // namespace paco::embed
