// Embedding records as files: the one of X.npy is X.npy.json.
#pragma once

#include <optional>
#include <string>

#include "paco/embedding_record.hpp"

namespace paco::io {

std::string embedding_record_path(const std::string& embeddings);
// Returns nothing if there is no such file (this includes standard input, "FILE#NAME" and the
// like), and an error if the file cannot be read.
Result<std::optional<EmbeddingRecord>> find_embedding_record(const std::string& embeddings);
Result<void> write_embedding_record(const EmbeddingRecord& record, const std::string& embeddings);
// Removes the record of a file that is rewritten without one; it is no error if there is none.
Result<void> remove_embedding_record(const std::string& embeddings);

}  // namespace paco::io
