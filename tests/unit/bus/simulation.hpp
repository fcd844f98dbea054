// A whole stream on the bus in one thread: replicas, publishers and a reader of decisions over
// simulated logs, and a schedule of faults that a seed determines. When the faults have passed, all
// that was acknowledged has to be decided, and the laws of the bus have to hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simulated_log.hpp"

namespace paco::bus {

struct SimulationOptions {
  std::uint64_t seed = 0;
  Broken broken = Broken::nothing;
  bool tracing = false;
};

struct SimulationOutcome {
  std::optional<std::string> violation;  // which law, and how
  FaultCounts faults;
  std::uint64_t events = 0, groups = 0, repeated = 0;
  std::string trace;
};

SimulationOutcome simulate(const SimulationOptions& options);

}  // namespace paco::bus
