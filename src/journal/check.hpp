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

struct ChainWalk {
  CheckedTail checked;                     // the good events
  std::optional<std::uint64_t> first_bad;  // event
  std::string problem;
};
enum class WalkFrom { start, last_checked };
// Follows the chain to the end, or to the first event that is missing or damaged.
Result<ChainWalk> walk_chain(Database& database, const JournalHeader& header, WalkFrom from,
                             core::Progress& progress, const std::stop_token& stop);

// The chain after an event, as it is stored; nothing if there is no such event. At most
// `operations` operations come before it.
Result<std::optional<std::uint64_t>> chain_after(Database& database, std::uint64_t event,
                                                 std::uint64_t operations);

// Refuses an index of keys that does not have each key of the rows at its sample, in order. The
// rows up to `checked` count as its sum says; the others are read.
Result<void> check_keys(Database& database, const CheckedTail& checked);

// Refuses a journal that lacks events of its record, or has others in their place, or that lacks
// its log and the record. The record is to be read before the transaction
// begins, because a writer may go on meanwhile.
Result<void> check_acknowledged(Database& database, const JournalHeader& header,
                                const JournalTail& tail, const std::optional<Acknowledged>& record);

// The chain and everything else: pages, model, categories, moved samples, embeddings, snapshots.
// `may_lack_log`: the journal is written by way of a log, and none was beside it.
Result<JournalReport> inspect(Database& database, bool may_lack_log, core::Progress& progress,
                              const std::stop_token& stop);

}  // namespace paco::journal
