// A whole replica: its journal, the folding, and from time to time a copy of the journal on the bus
// so that a new replica starts in seconds. What `paco bus decide` runs, once or for many streams.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/connection.hpp"
#include "bus/folding.hpp"
#include "bus/settings.hpp"

namespace paco::bus {

struct RunOptions {
  std::string name;     // of this replica
  std::string journal;  // its file
  int threads = 1;
  int silence_ms = 300;     // see ReplicaOptions
  std::uint64_t until = 0;  // end when so many events stand; 0: never
  std::function<void(const std::string&)> note;
};

struct RunOutcome {
  Place folded;
  std::uint64_t standing = 0;  // the last event that stands
  std::uint64_t changes = 0;   // how often it began to speak
};

// Until the token is set or `until` is reached; then the journal is closed.
Result<RunOutcome> run_replica(const std::shared_ptr<Connection>& connection,
                               const StreamSettings& settings, const RunOptions& options,
                               const std::stop_token& stop);

}  // namespace paco::bus
