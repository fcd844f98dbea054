// The settings of a stream on the bus: written once by init(), the same for all replicas, workers
// and publishers. The model is stored with the stream, so a replica needs only the address of a
// server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bus/connection.hpp"
#include "bus/stream_settings.hpp"
#include "paco/model.hpp"

namespace paco::bus {

struct StoreLimits {
  std::uint64_t replicas = 3;    // number of servers that store every message
  std::uint64_t max_bytes = 0;   // of the events; 0: all available space
  std::uint64_t window_s = 600;  // how long JetStream remembers message ids
};

// Creates the JetStream streams and stores the model; returns true. If the stream exists with this
// model, changes only its limits and returns false.
Result<bool> init(const std::shared_ptr<Connection>& connection, const StreamSettings& settings,
                  const StoreLimits& limits, const Model& model, const std::stop_token& stop);

Result<StreamSettings> read_settings(const Connection& connection, const std::string& name,
                                     const std::stop_token& stop);
Result<std::vector<std::string>> stream_names(const Connection& connection,
                                              const std::stop_token& stop);

// The model of a stream, checked against the fingerprint in its settings.
Result<std::shared_ptr<const Model>> fetch_model(const std::shared_ptr<Connection>& connection,
                                                 const StreamSettings& settings,
                                                 const std::stop_token& stop);

}  // namespace paco::bus
