// Embedding records as files: the one of X.npy is X.npy.json.
#pragma once

#include <optional>
#include <string>

#include "paco/embedding_record.hpp"

namespace paco::io {

std::string embedding_record_path(const std::string& embeddings);
// Nothing where there is no such file (standard input, "FILE#NAME" and the like included); an error
// where it cannot be read.
Result<std::optional<EmbeddingRecord>> find_embedding_record(const std::string& embeddings);
Result<void> write_embedding_record(const EmbeddingRecord& record, const std::string& embeddings);
// For a file that is written anew by something without a record; fine if there is none.
Result<void> remove_embedding_record(const std::string& embeddings);

}  // namespace paco::io
