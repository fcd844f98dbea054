// Publishes samples and operations to the bus. Each sample has a key: however often it is sent and
// stored, replicas decide it once. Samples have no message id: JetStream 2.9 forgets ids on each
// server by that server's clock, so a sample sent again about one window later would be stored by
// some servers and dropped by others. The order of events is the order in which they are stored.
#pragma once

#include <memory>
#include <string>

#include "bus/connection.hpp"
#include "bus/settings.hpp"
#include "core/progress.hpp"
#include "io/embeddings.hpp"
#include "paco/operation.hpp"

namespace paco::bus {

struct PublishOptions {
  std::string key_prefix;  // the key of row i is this prefix followed by i
  std::size_t window = 1024;
  std::uint64_t skip = 0;  // rows to skip first
};

struct PublishOutcome {
  std::uint64_t samples = 0, bytes = 0, resent = 0;
  double seconds = 0;
};

Result<PublishOutcome> publish_embeddings(std::shared_ptr<Connection> connection,
                                          const StreamSettings& settings,
                                          io::EmbeddingSource& source,
                                          const PublishOptions& options, core::Progress& progress,
                                          const core::Clock& clock, const std::stop_token& stop);

// Returns the number of the event. Publishing the same id again returns the same event.
Result<std::uint64_t> publish_operation(const Connection& connection, const std::string& stream,
                                        const Operation& operation, const std::string& id,
                                        const std::stop_token& stop);

}  // namespace paco::bus
