// Finds where to continue an input that was partly read into a journal before.
//
// An input is continued automatically only if that is certain: the file has not changed since, the
// journal records how many rows were read from it, and those rows are the ones that were read.
// Equal rows alone prove nothing, because a stream may repeat itself. A person can request more
// with --continue.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "io/embeddings.hpp"
#include "paco/session.hpp"

namespace paco::session {

struct InputStart {
  std::shared_ptr<io::EmbeddingSource> source;  // positioned before the first row to decide
  std::uint64_t row = 0;                        // its number
  std::string note;                             // a note for the user, or empty
};

// `first`: the row of the input at which the stream begins. With `asked`, the rows at the beginning
// of the input that the journal holds one after the other are skipped; if there are none, that is
// an error unless the journal is empty. Rows that cannot be decided are skipped, as in the earlier
// run. From here on the journal records how far the source is read.
Result<InputStart> find_start(std::shared_ptr<io::EmbeddingSource> source, Session& session,
                              std::uint64_t first, bool asked, const std::stop_token& stop);

}  // namespace paco::session
