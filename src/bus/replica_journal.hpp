// Chooses the journal in which a replica keeps its state: the existing one, or the newest snapshot
// on the bus, or a new one. The events are safe on the bus, so the replica need not wait for the
// disk: what a crash loses is folded again.
#pragma once

#include <memory>
#include <string>

#include "bus/connection.hpp"
#include "bus/settings.hpp"
#include "paco/session.hpp"

namespace paco::bus {

struct OpenedJournal {
  Session session;
  std::string from;  // "its journal", "a snapshot", "the model"
};

// Fails for a journal of another model or method.
Result<OpenedJournal> open_replica_journal(const std::shared_ptr<Connection>& connection,
                                           const StreamSettings& settings, const std::string& path,
                                           int threads, const std::stop_token& stop);

// Stores a copy of the journal on the bus, for new replicas. `event`: the last event it includes.
Result<void> put_snapshot(const std::shared_ptr<Connection>& connection,
                          const StreamSettings& settings, const std::string& journal,
                          std::uint64_t event, const std::stop_token& stop);
// The last event of the newest snapshot; 0 if there is none.
Result<std::uint64_t> snapshot_event(const std::shared_ptr<Connection>& connection,
                                     const std::string& stream, const std::stop_token& stop);

}  // namespace paco::bus
