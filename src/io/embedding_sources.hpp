// The kinds of EmbeddingSource, one maker each. Not for use outside this folder.
#pragma once

#include <memory>

#include "io/byte_stream.hpp"
#include "io/embeddings.hpp"
#include "io/file_bytes.hpp"
#include "io/npy.hpp"

namespace paco::io {

using EmbeddingResult = Result<std::unique_ptr<EmbeddingSource>>;

// The widest embedding that is believed; a damaged file must not make the caller allocate more.
constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 20;

// The whole file of a column-major array, whose numbers begin at `offset`.
struct ColumnBytes {
  FileBytes bytes;
  std::uint64_t offset = 0;
};

// Rows of one type after each other; the stream stands at the first number. Column-major data are
// held in memory unless `columns` can be read at any place.
EmbeddingResult make_dense_source(ByteStream stream, const NpyHeader& header,
                                  std::optional<ColumnBytes> columns);
EmbeddingResult make_fvecs_source(ByteStream stream);
EmbeddingResult make_csv_source(ByteStream stream);
EmbeddingResult make_jsonl_source(ByteStream stream);

}  // namespace paco::io
