#include "session/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/files.hpp"
#include "core/try.hpp"
#include "math/matrix.hpp"
#include "session/continued_input.hpp"
#include "session/export.hpp"
#include "session/session_impl.hpp"

namespace paco::session {
namespace {

// A block of rows as it was read.
struct Block {
  math::Matrix<double> rows;
  std::size_t count = 0;
  std::vector<std::string> ids;
};

// Reads one block ahead on a separate thread. The two blocks are swapped, so nothing is copied.
//
// A read from a pipe may block for ever. So after a stop or an error the destructor waits a moment,
// which is enough for a file, and then detaches the thread. The thread shares ownership of its
// data, so that the data outlives the reader.
class ReadAhead {
 public:
  ReadAhead(std::shared_ptr<io::EmbeddingSource> source, std::size_t rows)
      : shared_(std::make_shared<Shared>()) {
    shared_->next.rows = math::Matrix<double>(rows, source->dimension());
    shared_->source = std::move(source);
    thread_ = std::thread([shared = shared_] { work(*shared); });
  }
  ~ReadAhead() {
    std::unique_lock lock(shared_->mutex);
    shared_->leaving = true;
    shared_->changed.notify_all();
    const bool idle = shared_->changed.wait_for(lock, std::chrono::milliseconds(200),
                                                [this] { return !shared_->wanted; });
    lock.unlock();
    if (idle) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }

  // Swaps the next block into `block`; count 0 means the end of the input, or that the token was
  // set.
  Result<void> take(Block& block, std::stop_token stop) {
    std::unique_lock lock(shared_->mutex);
    block.count = 0;
    if (!shared_->changed.wait(lock, stop, [this] { return !shared_->wanted; })) return {};
    if (!shared_->outcome.ok()) return shared_->outcome;
    std::swap(block, shared_->next);
    shared_->wanted = block.count > 0;
    lock.unlock();
    shared_->changed.notify_all();
    return {};
  }

 private:
  struct Shared {
    std::shared_ptr<io::EmbeddingSource> source;
    Block next;
    Result<void> outcome;
    bool wanted = true;  // the thread must fill `next`
    bool leaving = false;
    std::mutex mutex;
    std::condition_variable_any changed;
  };

  static void work(Shared& s) {
    while (true) {
      {
        std::unique_lock lock(s.mutex);
        s.changed.wait(lock, [&] { return s.wanted || s.leaving; });
        if (s.leaving) {
          s.wanted = false;
          s.changed.notify_all();
          return;
        }
      }
      s.next.ids.clear();
      const Result<std::size_t> got = s.source->read_ready(s.next.rows.view(), &s.next.ids);
      {
        const std::lock_guard lock(s.mutex);
        if (got.ok()) {
          s.next.count = got.value();
        } else {
          s.outcome = got.error();
        }
        s.wanted = false;
      }
      s.changed.notify_all();
    }
  }

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

class Runner {
 public:
  Runner(Session& session, const StreamOptions& options, const StreamOutputs& outputs,
         core::Progress& progress, const core::Clock& clock)
      : session_(session),
        options_(options),
        outputs_(outputs),
        progress_(progress),
        clock_(clock),
        consumed_(std::max(options.consumed, options.skip)),
        saved_(options.consumed > 0),
        next_(session.samples()) {}

  // Runs from row `row` of the input on; `source` is positioned before that row.
  Result<StreamOutcome> run(std::shared_ptr<io::EmbeddingSource> source, std::uint64_t row,
                            std::stop_token stop) {
    const double start = clock_();
    name_ = source->name();
    row_ = row;
    const Result<void> begun =
        outputs_.each_once ? write_recorded(session_, *outputs_.decisions) : Result<void>();
    const Result<void> fed = begun.ok() ? feed(source, stop) : begun;
    const Result<void> written = write_pending();  // includes what was decided before an error
    const Result<void>& done = fed.ok() ? written : fed;
    if (!done.ok()) {
      if (!saved_) discard();
      return done.error();
    }
    PACO_TRY(conclude());
    outcome_.seconds = clock_() - start;
    return outcome_;
  }

 private:
  static constexpr std::size_t kTogether = 64;      // rows
  static constexpr double kLongestPending = 0.001;  // longest buffering of an answer in seconds

  Result<void> feed(const std::shared_ptr<io::EmbeddingSource>& source,
                    const std::stop_token& stop) {
    // Small blocks are read and answered several at a time as far as they are available: passing a
    // row between threads and writing a line cost more than deciding.
    const std::size_t rows = source->block_rows(std::max<std::size_t>(options_.block, kTogether));
    ReadAhead reader(source, rows);
    Block block{math::Matrix<double>(rows, source->dimension()), 0, {}};
    std::uint64_t skip = options_.skip - std::min(options_.skip, row_), seen = options_.seen;
    while (!stop.stop_requested() && !outcome_.refused) {
      const Result<void> read = reader.take(block, stop);
      if (!read.ok()) {
        PACO_TRY(meet_bad_input(read.error(), stop, !source->identity()));
        break;
      }
      if (block.count == 0) break;
      std::size_t first = static_cast<std::size_t>(std::min<std::uint64_t>(skip, block.count));
      skip -= first;
      for (; first < block.count && seen > 0; ++first)
        seen -= session_.method().check(block.rows[first]) ? 0 : 1;
      PACO_TRY(decide(block, first, stop));
      PACO_TRY(write_pending());
      row_ += block.count;
    }
    outcome_.interrupted = stop.stop_requested() && !outcome_.refused;
    if (skip + seen > 0 && !outcome_.interrupted && !outcome_.refused) {
      return Error{
          ErrorCode::bad_argument,
          fmt::format("{}: it has only {} rows, {} were to be passed over", name_,
                      options_.skip + options_.seen - skip - seen, options_.skip + options_.seen),
          "give the stream that the state was made from, or a smaller --skip"};
    }
    if (!options_.keys.empty() && !outcome_.interrupted && !outcome_.refused &&
        row_ != options_.keys.size()) {
      return Error{ErrorCode::bad_shape,
                   fmt::format("{}: it has {} rows, but there are {} keys", name_, row_,
                               options_.keys.size()),
                   "give one key for every row, in the same order"};
    }
    return {};
  }

  // Decides rows [first, count) in blocks, split at the samples after which a state is saved.
  Result<void> decide(const Block& block, std::size_t first, const std::stop_token& stop) {
    while (first < block.count && !outcome_.refused && !stop.stop_requested()) {
      std::size_t rows = std::min(block.count - first, std::max<std::size_t>(options_.block, 1));
      if (options_.save_every > 0) {
        const std::uint64_t left = options_.save_every - session_.samples() % options_.save_every;
        rows = static_cast<std::size_t>(std::min<std::uint64_t>(rows, left));
      }
      PACO_ASSIGN(const std::size_t done, decide_some(block, first, rows));
      first += done;
      consumed_ += done;
      if (options_.save_every > 0 && session_.samples() % options_.save_every == 0)
        PACO_TRY(save());
    }
    return {};
  }

  // Returns the number of rows that were decided or refused.
  Result<std::size_t> decide_some(const Block& block, std::size_t first, std::size_t rows) {
    const bool first_pending = pending_.empty();
    decisions_.resize(rows);
    SampleNames names;
    if (!block.ids.empty()) names.ids = std::span(block.ids).subspan(first, rows);
    if (!options_.keys.empty()) {
      const std::uint64_t at = row_ + first;
      if (at + rows > options_.keys.size()) {
        return Error{ErrorCode::bad_shape,
                     fmt::format("{}: it has more rows than there are keys, {}", name_,
                                 options_.keys.size()),
                     "give one key for every row, in the same order"};
      }
      names.keys = options_.keys.subspan(static_cast<std::size_t>(at), rows);
    }
    if (!options_.attributes.empty())
      names.attributes = options_.attributes.subspan(static_cast<std::size_t>(row_) + first, rows);
    Access::impl(session_).source_row = row_ + first;
    const double before = clock_();
    PACO_ASSIGN(const Decided decided,
                session_.decide(block.rows.view().slice(first, rows), decisions_, names));
    const double after = clock_();
    outcome_.deciding_seconds += after - before;
    outcome_.samples += decided.rows - decided.repeated;
    outcome_.repeated += decided.repeated;
    PACO_TRY(take_note(std::span(decisions_).first(decided.rows), names, after - before));
    if (first_pending) pending_since_ = before;
    if (after - pending_since_ > kLongestPending) PACO_TRY(write_pending());
    if (decided.refused) PACO_TRY(meet_bad_row(*decided.refused, row_ + first + decided.rows));
    return decided.rows + (decided.refused ? 1 : 0);
  }

  // Collects the output of a block and updates the progress.
  Result<void> take_note(std::span<const Decision> decisions, const SampleNames& names,
                         double seconds) {
    for (std::size_t i = 0; i < decisions.size() && outputs_.decisions != nullptr; ++i) {
      const Decision& d = decisions[i];
      if (outputs_.each_once && d.sequence < next_) continue;
      next_ = d.sequence + 1;
      pending_.push_back({d, names.ids.empty() ? std::to_string(d.sequence) : names.ids[i],
                          session_.method().categories().name(d.category), ""});
    }
    if (decisions.empty()) return {};
    if (outputs_.trace != nullptr) {
      const auto rows = static_cast<double>(decisions.size());
      PACO_TRY(outputs_.trace->write(decisions, seconds * 1e6 / rows));
    }
    if (categories_ != decisions.back().categories_after || categories_text_.empty()) {
      categories_ = decisions.back().categories_after;
      categories_text_ = fmt::format("{} categories", categories_);
    }
    progress_.update(outcome_.samples + outcome_.repeated, categories_text_);
    return {};
  }

  Result<void> write_pending() {
    Result<void> written;
    if (!pending_.empty()) written = outputs_.decisions->write(pending_);
    pending_.clear();
    return written;
  }

  // A row that cannot be read ends the input; earlier decisions are kept. Ctrl-C also stops the
  // program that writes into the pipe, and its unfinished row may arrive here before the signal
  // does. So wait a moment for the signal.
  Result<void> meet_bad_input(const Error& error, const std::stop_token& stop, bool is_pipe) {
    if (is_pipe || error.code == ErrorCode::interrupted) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any stopped;
      stopped.wait_for(lock, stop, std::chrono::milliseconds(500), [] { return false; });
    }
    if (stop.stop_requested()) return {};
    if (outcome_.samples + outcome_.repeated == 0) return error;
    outcome_.refused = error;
    return {};
  }

  Result<void> meet_bad_row(const Error& why, std::uint64_t row) {
    Error error = why;
    error.message = fmt::format("{}: row {} {}", name_, row, why.message);
    if (options_.skip_bad_rows) {
      ++outcome_.skipped;
      if (options_.note_bad_row) options_.note_bad_row(error);
    } else {
      error.hint += error.hint.empty() ? "" : "; ";
      error.hint += "or pass over bad rows with --on-bad-row skip";
      outcome_.refused = std::move(error);
    }
    return {};
  }

  // Saves a state that records where the outputs end. Decisions are synced first, so that a state
  // never refers to output that is not on the disk.
  Result<void> save() {
    if (options_.state.empty()) return {};
    PACO_TRY(write_pending());
    nlohmann::ordered_json note = nlohmann::ordered_json::object();
    if (outputs_.decisions != nullptr) {
      PACO_ASSIGN(const std::uint64_t bytes, outputs_.decisions->sync());
      note["decisions"] = bytes;
    }
    if (outputs_.trace != nullptr) {
      PACO_ASSIGN(const std::uint64_t bytes, outputs_.trace->sync());
      note["trace"] = bytes;
    }
    PACO_TRY(save_state(std::move(note)));
    saved_ = true;
    return {};
  }

  Result<void> save_state(nlohmann::ordered_json note) {
    if (consumed_ != session_.samples()) note["rows"] = consumed_;
    PACO_ASSIGN(const std::vector<std::byte> bytes, session_.save(note.empty() ? "" : note.dump()));
    return core::write_file(options_.state, bytes);
  }

  Result<void> conclude() {
    PACO_TRY(save());
    if (outcome_.interrupted) return {};
    if (outputs_.decisions != nullptr) PACO_TRY(outputs_.decisions->finish());
    if (outputs_.trace != nullptr) PACO_TRY(outputs_.trace->finish());
    // Finished files need no recorded length.
    return options_.state.empty() ? Result<void>() : save_state(nlohmann::ordered_json::object());
  }

  void discard() {
    if (outputs_.decisions != nullptr) outputs_.decisions->discard();
    if (outputs_.trace != nullptr) outputs_.trace->discard();
  }

  Session& session_;
  const StreamOptions& options_;
  const StreamOutputs& outputs_;
  core::Progress& progress_;
  const core::Clock& clock_;
  StreamOutcome outcome_;
  std::string name_;        // of the input
  std::uint64_t row_ = 0;   // row of the input at which the block begins
  std::uint64_t consumed_;  // rows of the stream that the state includes
  bool saved_;              // a state refers to the outputs
  std::vector<Decision> decisions_;
  std::vector<io::DecidedSample> pending_;  // decided and not yet written
  std::uint64_t next_;                      // next sample to be written
  double pending_since_ = 0;                // when the first of them began to be decided
  std::uint64_t categories_ = 0;
  std::string categories_text_;  // for the progress
};

}  // namespace

Result<StreamOutcome> run_stream(std::shared_ptr<io::EmbeddingSource> source, Session& session,
                                 const StreamOptions& options, const StreamOutputs& outputs,
                                 core::Progress& progress, const core::Clock& clock,
                                 std::stop_token stop) {
  // For errors before anything is written. Outputs of an earlier run are not discarded.
  const auto refuse = [&](Error error) {
    if (outputs.decisions != nullptr && options.consumed == 0) outputs.decisions->discard();
    return error;
  };
  if (source->dimension() != session.model().dimension) {
    return refuse({ErrorCode::bad_shape,
                   fmt::format("{}: rows have {} values, the model expects {}", source->name(),
                               source->dimension(), session.model().dimension),
                   "embed support set and stream with the same backbone"});
  }
  InputStart start{source, 0, ""};
  if (session.has_journal() && options.keys.empty() && options.seen == 0) {
    Result<InputStart> found = find_start(source, session, options.skip, options.continues, stop);
    if (!found.ok()) return refuse(found.error());
    start = std::move(*found);
    if (!start.note.empty() && options.note) options.note(start.note);
  }
  std::optional<std::uint64_t> total = source->rows();
  if (total) total = *total - std::min(*total, std::max(options.skip + options.seen, start.row));
  progress.start("discover", "samples", total);
  Runner runner(session, options, outputs, progress, clock);
  Result<StreamOutcome> outcome = runner.run(start.source, start.row, std::move(stop));
  Access::impl(session).source.reset();
  progress.finish();
  return outcome;
}

Result<SavedRun> saved_run(const std::string& state_path, std::uint64_t samples) {
  PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(state_path));
  PACO_ASSIGN(const std::string note, state_note(bytes, state_path));
  SavedRun run;
  run.rows = samples;
  if (note.empty()) return run;
  const auto json = nlohmann::json::parse(note, nullptr, false);
  const auto get = [&](const char* key, auto& out) {
    if (json.is_object() && json.contains(key) && json[key].is_number_unsigned())
      out = json[key].get<std::uint64_t>();
  };
  get("decisions", run.decisions);
  get("trace", run.trace);
  get("rows", run.rows);
  return run;
}

}  // namespace paco::session
