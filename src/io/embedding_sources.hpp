// Embeddings from each format. Not for use outside this folder.
#pragma once

#include <memory>

#include "io/byte_stream.hpp"
#include "io/embeddings.hpp"
#include "io/file_bytes.hpp"
#include "io/format.hpp"
#include "io/npy.hpp"

namespace paco::io {

using EmbeddingResult = Result<std::unique_ptr<EmbeddingSource>>;

// The largest dimension that is accepted, so that a damaged file cannot make the caller allocate
// more.
constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 20;

// The whole file of a column-major array, whose numbers begin at `offset`.
struct ColumnBytes {
  FileBytes bytes;
  std::uint64_t offset = 0;
};

// Rows of one type, one after another; the stream is at the first number. Column-major data are
// held in memory unless `columns` gives access to any offset.
EmbeddingResult make_dense_source(ByteStream stream, const NpyHeader& header,
                                  std::optional<ColumnBytes> columns);
EmbeddingResult open_npy_embeddings(FormatInput input);
EmbeddingResult open_csv_embeddings(FormatInput input);
EmbeddingResult open_jsonl_embeddings(FormatInput input);
EmbeddingResult open_fvecs_embeddings(FormatInput input);

}  // namespace paco::io
