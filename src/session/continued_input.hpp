// Where an input goes on that was fed to a journal before.
//
// It goes on by itself only if that is certain: a file that has not changed since, from which the
// journal knows how many rows it took, and whose rows up to there are the ones that it took. Equal
// rows alone say nothing: a stream may well repeat itself. A person may ask for more.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "io/embeddings.hpp"
#include "paco/session.hpp"

namespace paco::session {

struct InputStart {
  std::shared_ptr<io::EmbeddingSource> source;  // stands before the first row to decide
  std::uint64_t row = 0;                        // its number
  std::string note;                             // what a person should know of it, or empty
};

// `first`: the row of the input at which the stream begins. With `asked`, as many rows are passed
// over as the journal holds of the input's beginning, one after the other; none is an error unless
// the journal is empty. Rows that cannot be decided are passed over, as they were then.
// From here on the journal keeps how far the source is read.
Result<InputStart> find_start(std::shared_ptr<io::EmbeddingSource> source, Session& session,
                              std::uint64_t first, bool asked, const std::stop_token& stop);

}  // namespace paco::session
