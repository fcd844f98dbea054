// What a stream on the bus is: made once by init(), the same for everybody who takes part. The
// model itself is among the stream's files, so that a replica needs nothing but a server's address.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/connection.hpp"
#include "paco/model.hpp"

namespace paco::bus {

struct StreamSettings {
  std::string name;
  std::string method;                       // empty: the model's
  std::string model;                        // its fingerprint
  std::uint64_t dimension = 0, known = 0;   // of the model
  std::uint64_t digest_every = 4096;        // events between two digests of the state
  std::uint64_t snapshot_every = 100'000;   // events between two copies of a journal; 0: none
  std::optional<std::uint64_t> embeddings;  // that journals keep; unset: all
};

struct StoreLimits {
  std::uint64_t replicas = 3;    // servers that have every message
  std::uint64_t max_bytes = 0;   // of the events; 0: what the servers have room for
  std::uint64_t window_s = 600;  // how long JetStream itself removes doubles
};

// Makes the stream's places and puts the model there. Where the stream is there with this very
// model, only its limits change.
Result<bool> init(const std::shared_ptr<Connection>& connection, const StreamSettings& settings,
                  const StoreLimits& limits, const Model& model, const std::stop_token& stop);

Result<StreamSettings> read_settings(const Connection& connection, const std::string& name,
                                     const std::stop_token& stop);
Result<std::vector<std::string>> stream_names(const Connection& connection,
                                              const std::stop_token& stop);

// The model of a stream, proved to be the one of its settings.
Result<std::shared_ptr<const Model>> fetch_model(const std::shared_ptr<Connection>& connection,
                                                 const StreamSettings& settings,
                                                 const std::stop_token& stop);

}  // namespace paco::bus
