#include "bus/owners.hpp"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "bus/store.hpp"
#include "bus/subjects.hpp"
#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr int kRoundMs = 1000;  // much shorter than a lease

class Owner {
 public:
  Owner(std::shared_ptr<Connection> connection, const OwnerOptions& options, Bucket leases)
      : connection_(std::move(connection)), options_(options), leases_(std::move(leases)) {}

  Result<OwnerOutcome> run(const std::stop_token& stop) {
    Result<void> last;
    for (int unanswered = 0; !stop.stop_requested();) {
      last = round(stop);
      // If servers do not answer for a moment, the worst effect is the loss of leases.
      unanswered = last.ok() ? 0 : unanswered + 1;
      if (unanswered * kRoundMs / 1000.0 > connection_->patience()) break;
      pause(kRoundMs, stop);
    }
    for (auto& [name, stream] : streams_) {
      stream->thread = {};
      (void)leases_.remove(name);
    }
    if (!stop.stop_requested()) PACO_TRY(last);
    return out_;
  }

 private:
  struct Owned {
    std::uint64_t revision = 0;
    std::atomic<bool> ended{false};
    std::jthread thread;
  };

  Result<void> round(const std::stop_token& stop) {
    PACO_TRY(renew(stop));
    PACO_ASSIGN(const std::vector<std::string> names, stream_names(*connection_, stop));
    for (const std::string& name : names) {
      if (streams_.contains(name) || refused_.contains(name)) continue;
      if (streams_.size() >= options_.most) break;
      PACO_ASSIGN(const bool free, leases_.create(name, options_.name, stop));
      if (!free) continue;
      PACO_TRY(take(name, stop));
      break;  // one per round, so that other processes get some
    }
    return {};
  }

  Result<void> renew(const std::stop_token& stop) {
    for (auto at = streams_.begin(); at != streams_.end();) {
      Owned& stream = *at->second;
      PACO_ASSIGN(const auto revision, leases_.update(at->first, options_.name, stream.revision));
      if (revision && !stream.ended) {
        stream.revision = *revision;
        ++at;
        continue;
      }
      // The lease expired while no server answered, or the replica ended by itself.
      if (stream.ended) {
        ++out_.failed;
        refused_.insert(at->first);
        (void)leases_.remove(at->first);
      } else {
        ++out_.lost;
        note(fmt::format("gave '{}' up", at->first));
      }
      at = streams_.erase(at);
      if (stop.stop_requested()) break;
    }
    return {};
  }

  Result<void> take(const std::string& name, const std::stop_token& stop) {
    PACO_ASSIGN(const auto lease, leases_.get(name, stop));
    if (!lease || lease->value != options_.name) return {};
    auto stream = std::make_unique<Owned>();
    stream->revision = lease->revision;
    ++out_.taken;
    note(fmt::format("owns '{}'", name));
    stream->thread = std::jthread([this, name, raw = stream.get()](const std::stop_token& end) {
      const Result<void> done = replicate(name, end);
      if (end.stop_requested()) return;
      if (!done.ok()) note(fmt::format("stops '{}': {}", name, done.error().message));
      raw->ended = true;
    });
    streams_.emplace(name, std::move(stream));
    return {};
  }

  Result<void> replicate(const std::string& name, const std::stop_token& stop) {
    PACO_ASSIGN(const StreamSettings settings, read_settings(*connection_, name, stop));
    RunOptions run = options_.replica;
    run.name = options_.name;
    run.journal = fmt::format("{}/{}.journal", options_.folder, name);
    run.note = options_.note;
    PACO_TRY(run_replica(connection_, settings, run, stop));
    return {};
  }

  void note(const std::string& text) const {
    if (options_.note) options_.note(text);
  }

  const std::shared_ptr<Connection> connection_;
  const OwnerOptions& options_;
  const Bucket leases_;
  OwnerOutcome out_;
  std::set<std::string> refused_;  // their replicas ended by themselves here
  std::map<std::string, std::unique_ptr<Owned>> streams_;
};

}  // namespace

Result<OwnerOutcome> own_streams(const std::shared_ptr<Connection>& connection,
                                 const OwnerOptions& options, const std::stop_token& stop) {
  PACO_TRY(core::make_folder(options.folder));
  PACO_ASSIGN(std::optional<Bucket> leases, Bucket::find(*connection, kOwnersBucket, stop));
  if (!leases) {
    return Error{ErrorCode::not_found,
                 fmt::format("there is no stream on the bus at {}", connection->servers()),
                 "'paco bus init' makes one"};
  }
  return Owner(connection, options, std::move(*leases)).run(stop);
}

}  // namespace paco::bus
