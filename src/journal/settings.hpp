// The header of a journal (settings and model): how it is written into a new file and read back.
// Also what reader and inspection have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "journal/database.hpp"
#include "journal/rows.hpp"

namespace paco::journal {

// A complete journal with categories and without events, as the bytes of its file.
Result<std::vector<std::byte>> new_journal_file(const std::string& path,
                                                const JournalSettings& settings,
                                                std::span<const std::byte> model,
                                                std::span<const CategoryRow> categories,
                                                std::span<const SupportPicture> pictures);

struct JournalHeader {
  JournalSettings settings;
  std::uint64_t model = 0;        // checksum of the model's bytes
  std::uint64_t chain_start = 0;  // the link before the first event
  CheckedTail checked;            // up to here a writer has checked every event
  // A writer has it, and events may be in its log alone.
  bool needs_log = false;
  // There is no log: it was moved or copied without. Found out by opening it.
  bool lacks_log = false;
};

// Reads the settings; refuses if they are damaged, or if the file has other tables, indexes, views
// or triggers than they require.
Result<JournalHeader> read_header(Database& database);

Result<void> write_retention(Database& database, const Retention& retention);
// The next opening begins to check here.
Result<void> write_checked(Database& database, const CheckedTail& checked, bool needs_log);

Result<std::vector<std::byte>> read_model(Database& database, std::uint64_t checksum);

// The snapshot of a row of "SELECT event, sequence, digest, size, checksum FROM snapshots".
Result<Snapshot> read_snapshot(Database& database, const Statement& row);

// Blobs are stored in parts of at most this size: SQLite takes no more than 1 GB at once.
constexpr std::size_t kPartBytes = std::size_t{1} << 24;

// The error of every check that finds damage.
Error damaged(const std::string& path, const std::string& what);

}  // namespace paco::journal
