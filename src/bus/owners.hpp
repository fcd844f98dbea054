// Distributes many streams over many deciding processes: each stream has one owner at a time, which
// holds a lease in a bucket and renews it. If a process dies, its leases expire and other processes
// take its streams.
//
// A lease only saves work: if two processes fold one stream for a moment, each decision is still
// committed once (replica.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/run_replica.hpp"

namespace paco::bus {

struct OwnerOptions {
  std::string name;         // of this process
  std::string folder;       // has a journal of each stream it owned
  std::size_t most = 1000;  // streams owned at a time
  RunOptions replica;       // name and journal are set per stream
  std::function<void(const std::string&)> note;
};

struct OwnerOutcome {
  std::uint64_t taken = 0, lost = 0, failed = 0;  // numbers of streams since the start
};

// Runs until the token is set, then gives all leases back.
Result<OwnerOutcome> own_streams(const std::shared_ptr<Connection>& connection,
                                 const OwnerOptions& options, const std::stop_token& stop);

}  // namespace paco::bus
