// The header of a journal (settings and model): how it is written into a new file and read back. It
// also has what the reader and the inspection share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "journal/database.hpp"
#include "journal/rows.hpp"

namespace paco::journal {

// The bytes of a complete journal file with categories and without events.
Result<std::vector<std::byte>> new_journal_file(const std::string& path,
                                                const JournalSettings& settings,
                                                std::span<const std::byte> model,
                                                std::span<const CategoryRow> categories,
                                                std::span<const SupportPicture> pictures);

struct JournalHeader {
  JournalSettings settings;
  std::uint64_t model = 0;        // checksum of the model's bytes
  std::uint64_t chain_start = 0;  // the link before the first event
  CheckedTail checked;            // how far a writer has checked every event
  // A writer has the journal open, and some events may be only in its log.
  bool needs_log = false;
  // The log is missing: the file was moved or copied without it. Set when the journal is opened.
  bool lacks_log = false;
};

// Reads the settings. Fails if they are damaged, or if the tables, indexes, views or triggers of
// the file are not exactly those that the settings require.
Result<JournalHeader> read_header(Database& database);

Result<void> write_retention(Database& database, const Retention& retention);
// Sets where the next opening starts its check.
Result<void> write_checked(Database& database, const CheckedTail& checked, bool needs_log);

Result<std::vector<std::byte>> read_model(Database& database, std::uint64_t checksum);

// Reads the snapshot for a row of "SELECT event, sequence, digest, size, checksum FROM snapshots".
Result<Snapshot> read_snapshot(Database& database, const Statement& row);

// Larger blobs are stored in parts of this size: SQLite accepts at most 1 GB at once.
constexpr std::size_t kPartBytes = std::size_t{1} << 24;

// The error of every check that finds damage.
Error damaged(const std::string& path, const std::string& what);

}  // namespace paco::journal
