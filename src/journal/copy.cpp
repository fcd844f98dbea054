// Copying a journal, declared in journal.hpp.
#include <cerrno>

#include "core/file_operation.hpp"
#include "core/files.hpp"
#include "core/take_name.hpp"
#include "core/try.hpp"
#include "journal/journal.hpp"
#include "journal/open.hpp"

namespace paco::journal {
namespace {

// Removes a file at the end of a scope, if it is still there.
class Leftover {
 public:
  explicit Leftover(const std::string& path) : path_(path) {}
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;
  ~Leftover() {
    if (core::path_kind(path_) == core::PathKind::file) static_cast<void>(core::remove_file(path_));
  }

 private:
  const std::string& path_;
};

}  // namespace

Result<JournalReport> copy_journal(const std::string& from, const std::string& to,
                                   core::Progress& progress, const std::stop_token& stop) {
  PACO_TRY(journal_path(to));
  if (core::path_kind(to) != core::PathKind::absent || log_bytes(to) != 0)
    return core::files::system_error(to, "make a copy", EEXIST);
  PACO_ASSIGN(JournalReader journal, JournalReader::open(from));
  const std::string temporary = to + ".part";
  // Remove what a killed copy left behind.
  if (core::path_kind(temporary) == core::PathKind::file) PACO_TRY(core::remove_file(temporary));
  const Leftover leftover(temporary);
  PACO_TRY(journal.copy_to(temporary));
  PACO_ASSIGN(JournalReport report, verify_journal(temporary, progress, stop));
  if (report.ok) PACO_TRY(core::take_name(temporary, to));
  return report;
}

Result<void> remove_leftovers(const std::string& path) {
  for (const std::string& name : {path + "-wal", path + "-shm", acknowledged_path(path)}) {
    if (core::path_kind(name) == core::PathKind::file) PACO_TRY(core::remove_file(name));
  }
  return {};
}

}  // namespace paco::journal
