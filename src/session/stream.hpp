// Feeds a stream of embeddings to a session: reads a block ahead on a separate thread, decides,
// writes, and saves the state at intervals. Independent of the method.
//
// Decisions and state are consistent: a state is saved only after its decisions are on the disk,
// and records their length in bytes, so that a resumed run continues exactly there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "core/progress.hpp"
#include "io/decision_file.hpp"
#include "io/embeddings.hpp"
#include "io/trace_file.hpp"
#include "paco/session.hpp"
#include "session/summary.hpp"

namespace paco::session {

struct StreamOptions {
  std::size_t block = 256;       // samples decided at once; affects speed only
  std::uint64_t skip = 0;        // rows of the input to pass over first
  std::uint64_t seen = 0;        // then rows that can be decided, skipping bad ones between
  std::uint64_t consumed = 0;    // rows included in the state that the session resumes
  bool continues = false;        // the input begins with what the journal has; skip that
  std::uint64_t save_every = 0;  // samples between saved states; 0: only at the end
  std::string state;             // where to save the state; empty: nowhere
  bool skip_bad_rows = false;    // go on after a row that cannot be decided
  // One per row of the input, or empty; attributes are JSON objects, see SampleNames.
  std::span<const std::string> keys, attributes = {};
  // Called for every bad row that is skipped.
  std::function<void(const Error&)> note_bad_row;
  // Called if the input continues where an earlier run stopped, or if it has changed since.
  std::function<void(const std::string&)> note;
};

// Where decisions go besides the session; both may be null.
struct StreamOutputs {
  io::DecisionWriter* decisions = nullptr;
  io::TraceWriter* trace = nullptr;
  // For a session with a journal: `decisions` begins with the samples that the journal has, and has
  // each sample once, even if its key occurs repeatedly.
  bool each_once = false;
};

// With a journal, a file that was read before and has not changed since is continued, unless its
// samples have keys; see session/continued_input.hpp.
//
// The outputs get their final names and the state is saved when the stream ends, or when a row
// cannot be decided or read (`refused`). If the stop token is set, the outputs remain partial
// files, and a saved state records where they end. After any other error the outputs are discarded
// unless a saved state refers to them.
Result<StreamOutcome> run_stream(std::shared_ptr<io::EmbeddingSource> source, Session& session,
                                 const StreamOptions& options, const StreamOutputs& outputs,
                                 core::Progress& progress, const core::Clock& clock,
                                 std::stop_token stop);

// Where the outputs ended in the run that saved a state.
struct SavedRun {
  std::optional<std::uint64_t> decisions, trace;  // bytes; nothing if that run had finished them
  std::uint64_t rows = 0;  // rows of its input that it read, including bad ones
};
// `samples`: the samples in the state. A state without a row count has one row per sample.
Result<SavedRun> saved_run(const std::string& state_path, std::uint64_t samples);

}  // namespace paco::session
