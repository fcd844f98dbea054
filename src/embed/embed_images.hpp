// Whole data sets to embeddings: decoding, network and output side by side.
//
// embed_images passes every batch to a sink. embed_to_file writes a file and can be interrupted:
// from time to time it writes the new rows to a part file beside the output (OUT.part-000000, ...),
// and at an interruption also the rest. With `resume` it uses those rows unchanged and continues
// after them. Batches are cut at the same places either way, so the file has the same bytes as if
// it had never been interrupted. The parts are removed when the file is complete.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/progress.hpp"
#include "embed/embedder.hpp"
#include "embed/images/loader.hpp"
#include "paco/embedding_record.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::embed {

struct EmbedOptions {
  std::size_t batch = 128;
  unsigned threads = 1;  // that decode
  bool strict = false;   // an unreadable image is an error instead of a skipped sample
};

struct EmbedReport {
  std::vector<std::size_t> samples;   // indices in the source, one per row
  std::vector<SkippedImage> skipped;  // images that could not be read
  std::size_t resumed = 0;            // rows that came from part files
  std::vector<std::size_t> cut;       // texts whose end the encoder did not see
};

// Called in order, once per batch that holds a sample.
using EmbedSink = std::function<Result<void>(const Batch& batch, Rows<const float> embeddings)>;

// `order`: the samples to embed, as indices in the source.
Result<EmbedReport> embed_images(const ImageSource& source, const std::vector<std::size_t>& order,
                                 ImageEmbedder& embedder, const EmbedOptions& options,
                                 const EmbedSink& sink, core::Progress& progress,
                                 std::stop_token stop = {});

struct EmbedFileOptions : EmbedOptions {
  std::string out;  // kind of file by its name, see io/embedding_writer.hpp
  bool resume = false;
  double part_seconds = 30;  // a part is written when this long has passed since the last one ...
  std::size_t part_rows = std::size_t{1} << 16;  // ... or when this many rows have come
  core::Clock clock = core::steady_clock();
  std::optional<EmbeddingRecord> record;  // put beside the file; nothing: none there afterwards
};

Result<EmbedReport> embed_to_file(const ImageSource& source, const std::vector<std::size_t>& order,
                                  ImageEmbedder& embedder, const EmbedFileOptions& options,
                                  core::Progress& progress, std::stop_token stop = {});

}  // namespace paco::embed
