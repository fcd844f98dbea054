#include "discover/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/try.hpp"

namespace paco {
namespace {

// A block of rows as it was read.
struct Block {
  Matrix<double> rows;
  std::size_t count = 0;
  std::vector<std::string> ids;
};

// Reads one block ahead on a thread of its own. The two blocks change places, so nothing is copied.
//
// A pipe may stay silent for ever. So after a stop or an error the reader gets a moment, which is
// plenty for a file, and is then left behind, blocked in its read; what it works on is shared, so
// that it cannot go away under it.
class ReadAhead {
 public:
  ReadAhead(std::shared_ptr<EmbeddingSource> source, std::size_t rows)
      : shared_(std::make_shared<Shared>()) {
    shared_->next.rows = Matrix<double>(rows, source->dimension());
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

  // The next block takes the place of `block`; count 0 means the end, or that the token was set.
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
    std::shared_ptr<EmbeddingSource> source;
    Block next;
    Result<void> outcome;
    bool wanted = true;  // the reader is to fill `next`
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
      const Result<std::size_t> got = s.source->read(s.next.rows.view(), &s.next.ids);
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
  Runner(Method& method, const StreamOptions& options, DecisionWriter* decisions,
         TraceWriter* trace, Progress& progress, const Clock& clock)
      : method_(method),
        options_(options),
        writer_(decisions),
        trace_(trace),
        progress_(progress),
        clock_(clock) {}

  Result<StreamOutcome> run(std::shared_ptr<EmbeddingSource> source, std::stop_token stop) {
    const double start = clock_();
    const std::size_t rows = std::max<std::size_t>(options_.block, 1);
    ReadAhead reader(source, rows);
    Block block{Matrix<double>(rows, source->dimension()), 0, {}};
    std::uint64_t skip = options_.skip;
    while (!stop.stop_requested()) {
      PACO_TRY(reader.take(block, stop));
      if (block.count == 0) break;
      const std::size_t first =
          static_cast<std::size_t>(std::min<std::uint64_t>(skip, block.count));
      skip -= first;
      PACO_TRY(decide(block, first));
    }
    if (skip > 0 && !stop.stop_requested()) {
      return Error{ErrorCode::bad_argument,
                   fmt::format("{}: it has only {} rows, {} were to be passed over", source->name(),
                               options_.skip - skip, options_.skip),
                   "give the stream that the state was made from, or a smaller --skip"};
    }
    outcome_.interrupted = stop.stop_requested();
    if (writer_ != nullptr) PACO_TRY(writer_->commit());
    if (trace_ != nullptr) PACO_TRY(trace_->commit());
    PACO_TRY(save());
    outcome_.seconds = clock_() - start;
    return outcome_;
  }

 private:
  // Rows [first, count) of the block, cut where a state is to be saved.
  Result<void> decide(const Block& block, std::size_t first) {
    while (first < block.count) {
      std::size_t rows = block.count - first;
      if (options_.save_every > 0) {
        const std::uint64_t left =
            options_.save_every - method_.stats().samples % options_.save_every;
        rows = static_cast<std::size_t>(std::min<std::uint64_t>(rows, left));
      }
      decisions_.resize(rows);
      samples_.clear();
      for (std::size_t i = 0; i < rows; ++i) {
        samples_.push_back(block.ids.empty() ? std::to_string(method_.stats().samples + i)
                                             : block.ids[first + i]);
      }
      const double before = clock_();
      PACO_TRY(method_.decide_block(block.rows.view().slice(first, rows), decisions_));
      const double seconds = clock_() - before;
      outcome_.deciding_seconds += seconds;
      outcome_.samples += rows;
      if (writer_ != nullptr) PACO_TRY(writer_->write(decisions_, samples_));
      if (trace_ != nullptr)
        PACO_TRY(trace_->write(decisions_, seconds * 1e6 / static_cast<double>(rows)));
      progress_.update(outcome_.samples,
                       fmt::format("{} categories", decisions_.back().categories_after));
      if (options_.save_every > 0 && method_.stats().samples % options_.save_every == 0)
        PACO_TRY(save());
      first += rows;
    }
    return {};
  }

  Result<void> save() {
    if (options_.state.empty()) return {};
    PACO_ASSIGN(const std::vector<std::byte> bytes, method_.save());
    return write_file(options_.state, bytes);
  }

  Method& method_;
  const StreamOptions& options_;
  DecisionWriter* writer_;
  TraceWriter* trace_;
  Progress& progress_;
  const Clock& clock_;
  StreamOutcome outcome_;
  std::vector<Decision> decisions_;
  std::vector<std::string> samples_;
};

}  // namespace

Result<StreamOutcome> run_stream(std::shared_ptr<EmbeddingSource> source, Method& method,
                                 const StreamOptions& options, DecisionWriter* decisions,
                                 TraceWriter* trace, Progress& progress, const Clock& clock,
                                 std::stop_token stop) {
  if (source->dimension() != method.model().dimension) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: rows have {} values, the model expects {}", source->name(),
                             source->dimension(), method.model().dimension),
                 "embed support set and stream with the same backbone"};
  }
  std::optional<std::uint64_t> total = source->rows();
  if (total) total = *total - std::min(*total, options.skip);
  progress.start("discover", "samples", total);
  Runner runner(method, options, decisions, trace, progress, clock);
  Result<StreamOutcome> outcome = runner.run(source, stop);
  progress.finish();
  return outcome;
}

}  // namespace paco
