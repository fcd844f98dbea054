// Opens the file of a journal: rejects other files before SQLite uses them, locks the journal for
// writing, and checks it. A file that is refused is left unchanged.
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

// Resolves a link, because the log lies beside the file itself. Fails if the path is too long for
// SQLite. The functions below do this first.
Result<std::string> journal_path(const std::string& path);

// In write mode, holds the write lock until the database is closed.
Result<CheckedFile> open_file(const std::string& path, Database::Mode mode);

// For an inspection: the events are not checked.
struct UncheckedFile {
  Database database;
  bool may_lack_log = false;  // the journal uses a write-ahead log, and none was found beside it
};
Result<UncheckedFile> open_unchecked(const std::string& path);

// Bytes of the write-ahead log beside a journal; 0 without one.
std::uint64_t log_bytes(const std::string& path);

}  // namespace paco::journal
