// Feeds a stream of embeddings to a session: reads a block ahead on a thread of its own, decides,
// writes, and saves the state from time to time. Knows a session and nothing of any method.
//
// Decisions and state are kept together: a state is saved only after the decisions up to it are on
// the disk, and says how many bytes of them there are, so that a resumed run continues right there.
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
  std::size_t block = 256;       // samples decided at once; speed only
  std::uint64_t skip = 0;        // rows of the input to pass over first
  std::uint64_t seen = 0;        // and then so many that can be decided, with bad ones between
  std::uint64_t consumed = 0;    // rows that the state accounts for which the session resumes
  bool continues = false;        // the input holds what the journal has; go on after it
  std::uint64_t save_every = 0;  // samples between saved states; 0: only at the end
  std::string state;             // where to save the state; empty: nowhere
  bool skip_bad_rows = false;    // go on after a row that cannot be decided
  // One for each row of the input, or none; attributes are JSON objects, see SampleNames.
  std::span<const std::string> keys, attributes = {};
  // Called for every bad row that is passed over.
  std::function<void(const Error&)> note_bad_row;
  // Called if the input goes on where it was left, or might.
  std::function<void(const std::string&)> note;
};

// Where decisions go besides the session; both may be null.
struct StreamOutputs {
  io::DecisionWriter* decisions = nullptr;
  io::TraceWriter* trace = nullptr;
  // Of a session with a journal: `decisions` begins with the samples that it has, and each sample
  // stands in it once, however often its key comes.
  bool each_once = false;
};

// With a journal, a file that was fed to it before and has not changed since goes on where it was
// left, unless its samples have keys; see session/continued_input.hpp.
//
// When the stream ends, or a row ends it that cannot be decided or read (`refused`), the outputs
// take their names and the state is saved. When the stop token is set, the outputs stay in their
// partial files, and a state that is saved knows where they end. After another error the outputs
// are discarded unless a saved state refers to them.
Result<StreamOutcome> run_stream(std::shared_ptr<io::EmbeddingSource> source, Session& session,
                                 const StreamOptions& options, const StreamOutputs& outputs,
                                 core::Progress& progress, const core::Clock& clock,
                                 std::stop_token stop);

// Where the run ended that saved a state.
struct SavedRun {
  std::optional<std::uint64_t> decisions, trace;  // bytes; nothing if that run had finished them
  std::uint64_t rows = 0;  // of its input that it consumed, bad ones included
};
// `samples`: of the state; a state that says nothing of rows has one for each.
Result<SavedRun> saved_run(const std::string& state_path, std::uint64_t samples);

}  // namespace paco::session
