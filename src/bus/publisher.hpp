// Samples and operations onto the bus. Each sample has a key, which is also its message
// id: JetStream stores it once however often it is sent, and where its memory of ids ends (the
// window of init), the replicas know the key. The order is the one in which they land.
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
  std::string key_prefix;  // the key of row i is this and i
  std::size_t window = 1024;
  std::uint64_t skip = 0;  // rows to pass over first
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

// The event that it became. The same id again is the same event.
Result<std::uint64_t> publish_operation(const Connection& connection, const std::string& stream,
                                        const Operation& operation, const std::string& id,
                                        const std::stop_token& stop);

}  // namespace paco::bus
