// Checks of a journal: the walk along the chain of events, done each time a journal is opened, and
// the full inspection of `paco journal verify`, which also reads embeddings, snapshots and every
// page.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/progress.hpp"
#include "journal/acknowledged.hpp"
#include "journal/database.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

// The result of an inspection. If something is wrong, `problem` describes it, and `events` is the
// number of events before the first bad one. If `first_bad` is empty, no event is damaged but
// something else is.
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

// The stored chain checksum after an event; nothing if there is no such event. `operations` is an
// upper bound on the number of operations before it.
Result<std::optional<std::uint64_t>> chain_after(Database& database, std::uint64_t event,
                                                 std::uint64_t operations);

// Fails unless the index of keys maps each key to its sample, in order. The keys of rows up to
// `checked` are taken from its sum; the later rows are read.
Result<void> check_keys(Database& database, const CheckedTail& checked);

// Fails if the journal lacks events of its record, has other events in their place, or lacks both
// its log and the record. Read the record before the transaction begins, because a writer may
// append meanwhile.
Result<void> check_acknowledged(Database& database, const JournalHeader& header,
                                const JournalTail& tail, const std::optional<Acknowledged>& record);

// Checks the chain and everything else: pages, model, categories, moved samples, embeddings,
// snapshots. `may_lack_log`: the journal uses a write-ahead log, and no log was found beside it.
Result<JournalReport> inspect(Database& database, bool may_lack_log, core::Progress& progress,
                              const std::stop_token& stop);

}  // namespace paco::journal
