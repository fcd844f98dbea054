#include "journal/open.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/file_operation.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "journal/journal.hpp"
#include "journal/schema.hpp"

namespace paco::journal {
namespace {

// The first bytes of every SQLite file; numbers are big-endian.
constexpr std::size_t kDatabaseHeaderBytes = 100;
using Header = std::array<unsigned char, kDatabaseHeaderBytes>;

std::uint32_t number_at(const Header& header, std::size_t offset) {
  return std::uint32_t{header[offset]} << 24 | std::uint32_t{header[offset + 1]} << 16 |
         std::uint32_t{header[offset + 2]} << 8 | header[offset + 3];
}

Error foreign(const std::string& path, std::string_view what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what),
               "give a journal that 'paco discover --journal' made"};
}

// SQLite keeps the log under the name that its writer used, so a reader with another name would
// miss it.
Result<void> check_names(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t names = std::filesystem::hard_link_count(path, ignored);
  if (ignored || names < 2) return {};
  return Error{
      ErrorCode::unsupported,
      fmt::format("{}: the file has {} names (hard links), and a journal has one", path, names),
      "remove the other names; 'paco journal copy' makes a second journal"};
}

// Reads through SQLite's file layer: closing a separate descriptor would release the locks that
// SQLite holds on the file in this process. Returns the size of the file.
Result<std::uint64_t> read_file_header(const std::string& path, Header& header) {
  sqlite3_vfs* disk = sqlite3_vfs_find(nullptr);
  if (disk == nullptr) return database_error(path, SQLITE_ERROR, "SQLite has no file layer");
  const std::unique_ptr<const char, void (*)(sqlite3_filename)> name(
      sqlite3_create_filename(path.c_str(), "", "", 0, nullptr), sqlite3_free_filename);
  const std::unique_ptr<char[]> memory(new char[static_cast<std::size_t>(disk->szOsFile)]());
  if (name == nullptr) return database_error(path, SQLITE_NOMEM, "");
  auto* file = reinterpret_cast<sqlite3_file*>(memory.get());
  errno = 0;
  int status =
      disk->xOpen(disk, name.get(), file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
  if (status != SQLITE_OK) return core::files::system_error(path, "open", errno == 0 ? EIO : errno);
  sqlite3_int64 size = 0;
  status = file->pMethods->xFileSize(file, &size);
  if (status == SQLITE_OK)
    status = file->pMethods->xRead(file, header.data(), kDatabaseHeaderBytes, 0);
  file->pMethods->xClose(file);
  if (status != SQLITE_OK && status != SQLITE_IOERR_SHORT_READ)
    return core::files::system_error(path, "read", EIO);
  return static_cast<std::uint64_t>(size);
}

// Refuses a file that is absent, empty, not SQLite's, another program's, of another version, or
// shorter than its header says.
Result<Header> check_header(const std::string& path) {
  switch (core::path_kind(path)) {
    case core::PathKind::absent:
      return core::files::system_error(path, "open", ENOENT);
    case core::PathKind::folder:
      return core::files::system_error(path, "open", EISDIR);
    case core::PathKind::other:
      return foreign(path, "not a plain file");
    case core::PathKind::file:
      break;
  }
  PACO_TRY(check_names(path));
  Header header{};
  PACO_ASSIGN(const std::uint64_t size, read_file_header(path, header));
  if (size == 0) return foreign(path, "the file is empty");
  if (std::memcmp(header.data(), "SQLite format 3", 16) != 0)
    return foreign(path, "not a journal: it begins differently");
  if (size < kDatabaseHeaderBytes)
    return damaged(path, fmt::format("it ends after {} bytes", size));
  if (number_at(header, 68) != kApplicationId)
    return foreign(path, "an SQLite file of another program, not a journal");
  if (const std::uint32_t version = number_at(header, 60); version != kVersion)
    return Error{ErrorCode::unsupported,
                 fmt::format("{}: a journal of version {}, this paco reads version {}", path,
                             version, kVersion),
                 "use the paco that made it"};
  const std::uint32_t page = header[16] << 8 | header[17];
  const std::uint64_t promised = std::uint64_t{number_at(header, 28)} * (page == 1 ? 65536 : page);
  const bool is_promise_valid = number_at(header, 24) == number_at(header, 92);
  // The rest may be in the log, if there is one.
  if (is_promise_valid && size < promised && log_bytes(path) == 0)
    return damaged(path, fmt::format("it is cut short: {} of {} bytes", size, promised));
  return header;
}

// A copy made by another tool (VACUUM INTO) does not use a write-ahead log.
bool has_log_mode(const Header& header) { return header[18] != 1 || header[19] != 1; }

// Locks a journal for one writer until it is closed; SQLite's own write lock lasts only for a
// transaction. This uses the reserved lock of the main file, which SQLite does not use with a
// write-ahead log. That lock excludes other holders but not readers, and the system releases it if
// the process dies.
Result<void> take_write_lock(Database& database) {
  if (sqlite3_db_readonly(database.handle(), "main") != 0)
    return core::files::system_error(database.path(), "write", EACCES);
  PACO_TRY(database.number("PRAGMA schema_version"));  // takes the shared lock that must precede it
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  const int status = file->pMethods->xLock(file, SQLITE_LOCK_RESERVED);
  if (status != SQLITE_OK) return database_error(database.path(), status, "it cannot be locked");
  return {};
}

Result<Database> open_reader(const std::string& path) {
  PACO_ASSIGN(Database database, Database::open(path, Database::Mode::read));
  const Result<std::int64_t> readable = database.number("SELECT count(*) FROM sqlite_schema");
  if (readable.ok()) return database;
  // In a read-only folder SQLite cannot make its files; without a log none are needed, because
  // there is no writer either.
  if (readable.error().code != ErrorCode::io || log_bytes(path) != 0 ||
      sqlite3_db_readonly(database.handle(), "main") != 1) {
    return readable.error();
  }
  return Database::open(path, Database::Mode::read, true);
}

// Checks header and events in one transaction, because another process may be writing, and leaves
// the transaction open. `may_lack_log`: the journal uses a write-ahead log, and no log was found
// beside it.
Result<void> check_events(CheckedFile& file, bool may_lack_log) {
  Database& database = file.database;
  PACO_TRY(database.run("BEGIN"));
  PACO_ASSIGN(file.header, read_header(database));
  file.header.lacks_log = file.header.needs_log && may_lack_log;
  core::NoProgress silent;
  PACO_ASSIGN(const ChainWalk walk,
              walk_chain(database, file.header, WalkFrom::last_checked, silent, {}));
  if (walk.first_bad)
    return damaged(database.path(), fmt::format("event {}: {}", *walk.first_bad, walk.problem));
  file.checked = walk.checked;
  return {};
}

// Fills in header and tail.
Result<void> check(CheckedFile& file, bool may_lack_log) {
  PACO_ASSIGN(const std::optional<Acknowledged> record, read_acknowledged(file.database.path()));
  const Rollback rollback(file.database);
  PACO_TRY(check_events(file, may_lack_log));
  PACO_TRY(check_acknowledged(file.database, file.header, file.checked.tail, record));
  return file.database.run("COMMIT");
}

// SQLite's limit, less the longest suffix of a file beside the journal.
constexpr std::size_t kLongestPath = 500;

}  // namespace

Result<std::string> journal_path(const std::string& path) {
  const Result<core::FileIdentity> identity = core::file_identity(path);
  const std::string file =
      identity.ok() && identity->is_link ? core::files::follow_links(path) : path;
  std::error_code ignored;
  const std::size_t length = std::filesystem::absolute(file, ignored).native().size();
  if (length <= kLongestPath) return file;
  return Error{
      ErrorCode::unsupported,
      fmt::format("{}: a path of {} characters, and SQLite takes {}", path, length, kLongestPath),
      "keep the journal in a folder with a shorter name"};
}

std::uint64_t log_bytes(const std::string& path) {
  const std::string log = path + "-wal";
  if (core::path_kind(log) != core::PathKind::file) return 0;
  const Result<std::uint64_t> size = core::file_size(log);
  return size.ok() ? *size : 0;
}

Result<CheckedFile> open_file(const std::string& given, Database::Mode mode) {
  PACO_ASSIGN(const std::string path, journal_path(given));
  PACO_ASSIGN(const Header header, check_header(path));
  const bool for_writing = mode == Database::Mode::write;
  if (for_writing && !has_log_mode(header)) {
    // Check the file before anything in it is changed.
    PACO_ASSIGN(const CheckedFile copy, open_file(path, Database::Mode::read));
    PACO_ASSIGN(Database database, Database::open(path, Database::Mode::write));
    PACO_TRY(write_checked(database, copy.header.checked, false));
    PACO_TRY(database.run("PRAGMA journal_mode=WAL"));
  }
  const bool had_log = log_bytes(path) != 0;
  PACO_ASSIGN(Database database,
              for_writing ? Database::open(path, Database::Mode::write) : open_reader(path));
  CheckedFile file{std::move(database), {}, {}};
  Result<void> checked = for_writing ? take_write_lock(file.database) : Result<void>{};
  const bool may_lack_log = has_log_mode(header) && !had_log;
  if (checked.ok()) checked = check(file, may_lack_log);
  // Check again: another process may have written and closed the journal during the first check.
  if (!checked.ok() && !for_writing) checked = check(file, may_lack_log);
  if (checked.ok()) return file;
  if (had_log) file.database.leave_log();
  return checked.error();
}

Result<JournalTail> accept_loss(const std::string& given) {
  PACO_ASSIGN(const std::string path, journal_path(given));
  PACO_TRY(check_header(path));
  CheckedFile file;
  PACO_ASSIGN(file.database, Database::open(path, Database::Mode::write));
  PACO_TRY(take_write_lock(file.database));
  {
    const Rollback rollback(file.database);
    PACO_TRY(check_events(file, false));
    PACO_TRY(write_checked(file.database, file.header.checked, false));
    PACO_TRY(file.database.run("COMMIT"));
  }
  if (core::path_kind(acknowledged_path(path)) == core::PathKind::file)
    PACO_TRY(core::remove_file(acknowledged_path(path)));
  return file.checked.tail;
}

Result<UncheckedFile> open_unchecked(const std::string& given) {
  PACO_ASSIGN(const std::string path, journal_path(given));
  PACO_ASSIGN(const Header header, check_header(path));
  const bool had_log = log_bytes(path) != 0;
  PACO_ASSIGN(Database database, open_reader(path));
  if (had_log) database.leave_log();
  return UncheckedFile{std::move(database), has_log_mode(header) && !had_log};
}

}  // namespace paco::journal
