#include "journal/database.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "core/file_operation.hpp"
#include "core/try.hpp"

namespace paco::journal {
namespace {

// How long a call waits for a lock that is held only for moments (by a reader that is opening).
constexpr int kBusyMilliseconds = 100;

}  // namespace

Error database_error(const std::string& path, int status, std::string_view detail,
                     int system_cause) {
  switch (status & 0xff) {
    case SQLITE_FULL:
      return core::files::system_error(path, "write", ENOSPC);
    case SQLITE_NOMEM:
      return core::files::system_error(path, "go on", ENOMEM);
    case SQLITE_CANTOPEN:
      return core::files::system_error(path, "open", system_cause == 0 ? EIO : system_cause);
    case SQLITE_IOERR: {
      // Only these system errors can be the cause; any other value is left over from another call.
      const bool is_reason = system_cause == EDQUOT || system_cause == EROFS ||
                             system_cause == EFBIG || system_cause == ENOSPC;
      return core::files::system_error(path, status == SQLITE_IOERR_READ ? "read" : "write",
                                       is_reason ? system_cause : EIO);
    }
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return core::files::system_error(path, "write", EACCES);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error{ErrorCode::io, fmt::format("{}: another program is writing to it", path),
                   "a journal has one writer: end the other program, or wait for it"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error{ErrorCode::bad_format, fmt::format("{}: damaged: {}", path, detail),
                   "take a copy of the file from before the damage"};
    case SQLITE_CONSTRAINT:
      return Error{ErrorCode::bad_value, fmt::format("{}: {}", path, detail), ""};
    case SQLITE_TOOBIG:
      return Error{ErrorCode::unsupported, fmt::format("{}: {}", path, detail),
                   "a text or picture of this size cannot be kept"};
    default:
      return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, detail), ""};
  }
}

void Statement::set(std::string_view value) {
  note(sqlite3_bind_text64(handle_.get(), ++bound_, value.data() ? value.data() : "", value.size(),
                           SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::set(std::span<const std::byte> value) {
  // A null pointer would bind NULL instead of no bytes.
  note(sqlite3_bind_blob64(handle_.get(), ++bound_,
                           value.empty() ? static_cast<const void*>("") : value.data(),
                           value.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  const int status = status_ != SQLITE_OK ? status_ : sqlite3_step(handle_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  sqlite3* database = sqlite3_db_handle(handle_.get());
  const int extended = status_ != SQLITE_OK ? status_ : sqlite3_extended_errcode(database);
  Error error =
      database_error(*path_, extended, sqlite3_errmsg(database), sqlite3_system_errno(database));
  reset();
  return error;
}

Result<void> Statement::finish() {
  auto result = step();
  reset();
  if (!result.ok()) return result.error();
  return {};
}

void Statement::reset() {
  sqlite3_reset(handle_.get());
  bound_ = 0;
  status_ = SQLITE_OK;
}

bool Statement::has_types(std::string_view types) const {
  for (std::size_t i = 0; i < types.size(); ++i) {
    const int type = sqlite3_column_type(handle_.get(), static_cast<int>(i));
    const char wanted = types[i];
    const int expected = wanted == 'i' || wanted == 'I'   ? SQLITE_INTEGER
                         : wanted == 't' || wanted == 'T' ? SQLITE_TEXT
                         : wanted == 'b' || wanted == 'B' ? SQLITE_BLOB
                                                          : SQLITE_FLOAT;
    const bool may_be_null = std::string_view("ITBr").find(wanted) != std::string_view::npos;
    if (type != expected && !(may_be_null && type == SQLITE_NULL)) return false;
  }
  return true;
}

bool Statement::has_numbers(int first, std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    const int type = sqlite3_column_type(handle_.get(), first + static_cast<int>(i));
    if (type != SQLITE_FLOAT && type != SQLITE_NULL) return false;
  }
  return true;
}

std::string_view Statement::text_at(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::span<const std::byte> Statement::blob_at(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(handle_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Result<Database> Database::open(const std::string& path, Mode mode, bool immutable) {
  Database database;
  database.path_ = std::make_unique<std::string>(path);
  // Characters with a meaning in a URI are written as %xx.
  std::string uri = "file:";
  if (mode == Mode::memory) uri += ":memory:";
  for (const char c : mode == Mode::memory ? std::string_view{} : std::string_view{path}) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  if (immutable) uri += "?immutable=1";
  sqlite3* handle = nullptr;
  // Readers also open the file for writing: otherwise the last reader to close could not remove the
  // files beside it. SQLite falls back to read-only access if the system refuses.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_EXRESCODE |
                    (mode == Mode::memory ? SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY : 0);
  const int status = sqlite3_open_v2(uri.c_str(), &handle, flags, nullptr);
  database.handle_.reset(handle);
  if (status != SQLITE_OK) {
    return database_error(path, status, handle ? sqlite3_errmsg(handle) : sqlite3_errstr(status),
                          handle ? sqlite3_system_errno(handle) : 0);
  }
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Only the writer makes checkpoints (see writer.cpp). Deleted data need not be overwritten. The
  // file is not memory-mapped, because shrinking a mapped file would crash the program.
  PACO_TRY(
      database.run("PRAGMA wal_autocheckpoint=0; PRAGMA secure_delete=OFF;"
                   "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0"));
  if (mode == Mode::read) PACO_TRY(database.run("PRAGMA query_only=ON"));
  return database;
}

Result<Statement> Database::prepare(const std::string& sql) {
  sqlite3_stmt* handle = nullptr;
  if (sqlite3_prepare_v3(handle_.get(), sql.c_str(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &handle, nullptr) != SQLITE_OK) {
    return error();
  }
  Statement statement;
  statement.handle_.reset(handle);
  statement.path_ = path_.get();
  return statement;
}

Result<void> Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error();
  return {};
}

Result<std::int64_t> Database::number(const std::string& sql) {
  PACO_ASSIGN(Statement statement, prepare(sql));
  PACO_ASSIGN(const bool found, statement.step());
  return found ? statement.integer_at(0) : 0;
}

Error Database::error() const {
  return database_error(path(), sqlite3_extended_errcode(handle_.get()),
                        sqlite3_errmsg(handle_.get()), sqlite3_system_errno(handle_.get()));
}

void Database::leave_log() {
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

Rollback::~Rollback() {
  if (sqlite3_get_autocommit(database_.handle()) == 0) (void)database_.run("ROLLBACK");
}

}  // namespace paco::journal
