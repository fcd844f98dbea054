// Checks of a journal: the walk along the chain of events that every opening makes, and the full
// inspection of `paco journal verify`, which also reads embeddings, snapshots and every page.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/progress.hpp"
#include "journal/acknowledged.hpp"
#include "journal/database.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

// What an inspection found. If something is wrong, `problem` says what, and `events` counts the
// ones before the first bad one; without `first_bad` no event is damaged, but something else.
struct JournalReport {
  std::uint64_t events = 0;
  std::uint64_t samples = 0;
  std::uint64_t operations = 0;
  std::uint64_t embeddings = 0;  // checked
  std::uint64_t snapshots = 0;   // checked
  bool ok = true;
  std::optional<std::uint64_t> first_bad;
  std::string problem;
};

}  // namespace paco::journal

namespace paco::journal {

// Follows the chain through all events; ends at the first that is missing or damaged.
struct ChainWalk {
  JournalTail tail;                        // of the good events
  std::optional<std::uint64_t> first_bad;  // event
  std::string problem;
};
Result<ChainWalk> walk_chain(Database& database, const JournalHeader& header,
                             core::Progress& progress, const std::stop_token& stop);

// Refuses a journal that lacks events of its record, or has others in their place. The record is to
// be read before the transaction begins, because a writer may go on meanwhile.
Result<void> check_acknowledged(Database& database, const JournalHeader& header,
                                const JournalTail& tail, const std::optional<Acknowledged>& record);

// The chain and everything else: pages, model, categories, moved samples, embeddings, snapshots.
Result<JournalReport> inspect(Database& database, core::Progress& progress,
                              const std::stop_token& stop);

}  // namespace paco::journal
