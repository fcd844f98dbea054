// Embeds many texts, with progress; also into a file, with the record of the encoder.
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

// Called in order with a block of rows, whose first row is that of text `first`, and with the
// report on these texts.
using TextSink = std::function<Result<void>(std::size_t first, Rows<const float> embeddings,
                                            const EncodedTexts& block)>;

// The indices of texts in the report count from the first of `texts`.
Result<EncodedTexts> embed_texts(std::span<const std::string> texts, TextEncoder& encoder,
                                 const TextSink& sink, core::Progress& progress,
                                 std::stop_token stop = {});

// Same as embed_to_file for images; `batch`, `threads` and `strict` are ignored, and the record is
// the encoder's.
Result<EmbedReport> embed_texts_to_file(std::span<const std::string> texts, TextEncoder& encoder,
                                        EmbedFileOptions options, core::Progress& progress,
                                        std::stop_token stop = {});

}  // namespace paco::embed
