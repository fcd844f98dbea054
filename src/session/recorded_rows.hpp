// Going on with a journal: how many rows at the start of an input it holds already.
#pragma once

#include <cstdint>
#include <stop_token>

#include "io/embeddings.hpp"
#include "paco/session.hpp"

namespace paco::session {

// Compares checksums: the input's rows with the samples at the journal's end, or anywhere where the
// journal holds all of them. 0 where the input begins otherwise: it is a new part of the stream.
// Rows that cannot be decided are passed over, as they were then. `source` is used up.
Result<std::uint64_t> recorded_rows(io::EmbeddingSource& source, Session& session,
                                    std::stop_token stop);

}  // namespace paco::session
