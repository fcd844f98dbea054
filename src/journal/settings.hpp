// How a journal begins: the bytes of one without events, and what an opened one says about itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "journal/database.hpp"
#include "journal/rows.hpp"

namespace paco::journal {

// A whole journal without events, as the bytes of its file.
Result<std::vector<std::byte>> empty_journal(const std::string& path,
                                             const JournalSettings& settings,
                                             std::span<const std::byte> model);

struct Opened {
  JournalSettings settings;
  std::uint64_t model = 0;        // checksum of the model's bytes
  std::uint64_t chain_start = 0;  // the link before the first event
  std::int64_t version = 0;       // of the file; see schema.hpp
};

// Reads the settings; refuses where they are damaged, or where the file has other tables, indexes,
// views or triggers than they ask for.
Result<Opened> read_settings(Database& database);

Result<void> write_retention(Database& database, const Retention& retention);

Result<std::vector<std::byte>> read_model(Database& database, std::uint64_t checksum);

// Blobs are stored in parts of at most this size: SQLite takes no more than 1 GB at once.
constexpr std::size_t kPartBytes = std::size_t{1} << 24;

// "damaged" in the words of every check of a journal.
Error damaged(const std::string& path, const std::string& what);

}  // namespace paco::journal
