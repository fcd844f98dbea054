// A complete replica: its journal, the folding, and regular snapshots of the journal on the bus, so
// that a new replica starts in seconds. `paco bus decide` runs it for one or many streams.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/connection.hpp"
#include "bus/settings.hpp"
#include "bus/stream_state.hpp"

namespace paco::bus {

struct RunOptions {
  std::string name;     // of this replica
  std::string journal;  // its file
  int threads = 1;
  int takeover_ms = 300;    // see ReplicaOptions
  std::uint64_t until = 0;  // end when this many events are committed; 0: never
  std::function<void(const std::string&)> note;
};

struct RunOutcome {
  LogPosition folded;
  std::uint64_t committed = 0;  // number of the last committed event
  std::uint64_t takeovers = 0;  // how often it started publishing
};

// Runs until the token is set or `until` is reached, then closes the journal.
Result<RunOutcome> run_replica(const std::shared_ptr<Connection>& connection,
                               const StreamSettings& settings, const RunOptions& options,
                               const std::stop_token& stop);

}  // namespace paco::bus
