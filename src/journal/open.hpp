// How a journal's file is opened: told apart from every other file before SQLite touches it, locked
// where it is to be written, checked, and left exactly as it was where it is refused.
#pragma once

#include <string>

#include "journal/check.hpp"
#include "journal/database.hpp"
#include "journal/settings.hpp"

namespace paco::journal {

struct OpenedFile {
  Database database;
  Opened opened;
  JournalTail tail;
};

// For writing it holds the write lock: no second one can until the database is closed.
Result<OpenedFile> open_file(const std::string& path, Database::Mode mode);

// For an inspection: header and connection only.
Result<Database> open_unchecked(const std::string& path);

// Bytes of the log beside a journal; 0 where there is none.
std::uint64_t log_bytes(const std::string& path);

}  // namespace paco::journal
