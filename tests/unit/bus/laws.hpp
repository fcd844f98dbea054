// The laws of the bus, checked against a plain reference: all events of the log in their order, one
// by one, through a state of its own.
//
//   every sample once: an acknowledged sample is in the log; its key has one decision, the first,
//     however often it comes; every event has one record
//   replicas agree: the same record for the same event, and the same state at the end
//   a paused publisher cannot contradict its successor: what anyone has read as committed is never
//     different for another reader, or later
#pragma once

#include <map>
#include <optional>
#include <string>

#include "bus/record.hpp"
#include "simulated_log.hpp"

namespace paco::bus {

class Laws {
 public:
  // The first one counts.
  void violate(const std::string& what) {
    if (!violation) violation = what;
  }
  // A group that somebody has read as committed.
  void observe(const std::string& reader, const Group& group);
  // A server has answered a request: with a committed decision, and always the same.
  void answered(const std::string& server, const std::string& key, const Decision& decision,
                const SimulatedServers& servers);
  void check_logs(const SimulatedServers& servers);
  // After check_logs().
  void check_state(const std::string& replica, const std::string& digest);

  std::optional<std::string> violation;
  std::uint64_t repeated = 0;

 private:
  std::map<std::uint64_t, std::pair<std::string, Record>> observed_;  // by event, with its reader
  std::map<std::string, std::uint64_t> answered_;                     // sequence numbers by key
  std::string digest_;
};

}  // namespace paco::bus
