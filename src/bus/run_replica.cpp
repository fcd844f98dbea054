#include "bus/run_replica.hpp"

#include <fmt/format.h>

#include <atomic>
#include <thread>

#include "bus/nats_log.hpp"
#include "bus/replica.hpp"
#include "bus/replica_journal.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

// Makes snapshots of the journal on a separate thread. A replica that does not publish makes one
// when it is due; the publishing one makes it a while later if no other replica has.
class Snapshots {
 public:
  Snapshots(std::shared_ptr<Connection> connection, const StreamSettings& settings,
            const RunOptions& options)
      : connection_(std::move(connection)), settings_(settings), options_(options) {}

  void reached(std::uint64_t event, bool publishing) {
    const std::uint64_t every = settings_.snapshot_every;
    if (every == 0 || busy_) return;
    const std::uint64_t due = event / every * every;
    if (due <= made_ || event < due + (publishing ? every / 4 : 0)) return;
    made_ = due;
    busy_ = true;
    worker_ = std::jthread([this, event, due](const std::stop_token& stop) {
      const Result<void> done = make(event, due, stop);
      if (!done.ok() && done.error().code != ErrorCode::interrupted && options_.note)
        options_.note(fmt::format("made no snapshot: {}", done.error().message));
      busy_ = false;
    });
  }

 private:
  Result<void> make(std::uint64_t event, std::uint64_t due, const std::stop_token& stop) {
    PACO_ASSIGN(const std::uint64_t there, snapshot_event(connection_, settings_.name, stop));
    if (there >= due) return {};
    return put_snapshot(connection_, settings_, options_.journal, event, stop);
  }

  const std::shared_ptr<Connection> connection_;
  const StreamSettings& settings_;
  const RunOptions& options_;
  std::uint64_t made_ = 0;
  std::atomic<bool> busy_{false};
  std::jthread worker_;  // destroyed before all members above
};

}  // namespace

Result<RunOutcome> run_replica(const std::shared_ptr<Connection>& connection,
                               const StreamSettings& settings, const RunOptions& options,
                               const std::stop_token& stop) {
  PACO_ASSIGN(OpenedJournal opened,
              open_replica_journal(connection, settings, options.journal, options.threads, stop));
  OwnSession state(std::move(opened.session));
  NatsStreamLog log(connection, settings.name);
  Snapshots snapshots(connection, settings, options);
  ReplicaOptions replica_options;
  replica_options.name = options.name;
  replica_options.takeover_ms = options.takeover_ms;
  replica_options.note = options.note;
  replica_options.on_committed = [&](const Group& group) {
    snapshots.reached(group.last(), group.publisher == options.name);
  };
  Replica replica(log, settings, state, std::move(replica_options));
  PACO_TRY(replica.start(stop));
  if (options.note) {
    options.note(fmt::format("folds '{}' from event {} on, from {}", settings.name,
                             replica.folded().event + 1, opened.from));
  }
  const Result<void> done = replica.run(options.until, stop);
  const Result<void> closed = state.session().close();
  PACO_TRY(done);
  PACO_TRY(closed);
  return RunOutcome{replica.folded(), replica.committed(), replica.takeovers()};
}

}  // namespace paco::bus
