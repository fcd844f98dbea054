// Runs a stream of embeddings through a method: reads a block ahead on a thread of its own,
// decides, writes, and saves the state from time to time. Knows the interface of a method and
// nothing of any particular one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "base/progress.hpp"
#include "data/embeddings.hpp"
#include "discover/decision_file.hpp"
#include "discover/trace_file.hpp"
#include "paco/method.hpp"

namespace paco {

struct StreamOptions {
  std::size_t block = 256;       // samples decided at once; speed only
  std::uint64_t skip = 0;        // rows of the input to pass over first
  std::uint64_t save_every = 0;  // samples between saved states; 0: only at the end
  std::string state;             // where to save the state; empty: nowhere
};

struct StreamOutcome {
  std::uint64_t samples = 0;    // decided in this run
  double seconds = 0;           // reading and writing included
  double deciding_seconds = 0;  // standardising and deciding alone
  bool interrupted = false;     // stopped early; everything decided so far has been written
};

// `decisions` and `trace` may be null. They are committed, and the state saved, when the stream
// ends or the stop token is set; after an error nothing of them appears.
Result<StreamOutcome> run_stream(std::shared_ptr<EmbeddingSource> source, Method& method,
                                 const StreamOptions& options, DecisionWriter* decisions,
                                 TraceWriter* trace, Progress& progress, const Clock& clock,
                                 std::stop_token stop);

}  // namespace paco
