// Opens the file of a journal: distinguishes it from every other file before SQLite uses it, locks
// it for writing, checks it, and leaves it exactly as it was if it is refused.
#pragma once

#include <string>

#include "journal/check.hpp"
#include "journal/database.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

struct CheckedFile {
  Database database;
  JournalHeader header;
  CheckedTail checked;  // all events
};

// The file itself if the path is a link to it, because the log lies beside the file; refuses a path
// that is too long for SQLite. The functions below do this first.
Result<std::string> journal_path(const std::string& path);

// For writing it holds the write lock until the database is closed.
Result<CheckedFile> open_file(const std::string& path, Database::Mode mode);

// For an inspection: the events are not checked.
struct UncheckedFile {
  Database database;
  bool may_lack_log = false;  // it is written by way of a log, and none was beside it
};
Result<UncheckedFile> open_unchecked(const std::string& path);

// Bytes of the write-ahead log beside a journal; 0 without one.
std::uint64_t log_bytes(const std::string& path);

}  // namespace paco::journal
