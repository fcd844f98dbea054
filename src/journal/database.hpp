// SQLite with the conventions of this project: connections and statements that close themselves,
// errors as Result in plain words.
//
// A connection and its statements are used by one thread at a time.
#pragma once

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::journal {

class Database;

// A prepared statement. Texts and blobs that are bound must live until it is reset.
class Statement {
 public:
  Statement() = default;

  // Integers, doubles (NaN is stored as NULL), texts, blobs and optionals of them, in order.
  template <class... Values>
  Statement& bind(const Values&... values) {
    (set(values), ...);
    return *this;
  }
  // True if there is a row.
  Result<bool> step();
  // For statements without result rows: binds, runs and resets.
  template <class... Values>
  Result<void> run(const Values&... values) {
    return bind(values...).finish();
  }
  void reset();

  // Returns whether the first columns of a row have these types: i integer, t text, b blob (capital
  // letters: or NULL), r double or NULL. Check the types before reading any value: SQLite converts
  // values silently, and reading a value may change its type.
  bool has_types(std::string_view types) const;
  // The same for `count` columns from `first` on, which must be doubles or NULL.
  bool has_numbers(int first, std::size_t count) const;
  bool is_null(int column) const {
    return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
  }
  std::int64_t integer_at(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::uint64_t number_at(int column) const {
    return static_cast<std::uint64_t>(integer_at(column));
  }
  std::optional<std::uint64_t> optional_at(int column) const {
    if (is_null(column)) return std::nullopt;
    return number_at(column);
  }
  double real_at(int column) const {
    return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                           : sqlite3_column_double(handle_.get(), column);
  }
  std::string_view text_at(int column) const;
  std::span<const std::byte> blob_at(int column) const;

 private:
  friend class Database;
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  template <std::integral Integer>
  void set(Integer value) {
    note(sqlite3_bind_int64(handle_.get(), ++bound_, static_cast<std::int64_t>(value)));
  }
  void set(double value) { note(sqlite3_bind_double(handle_.get(), ++bound_, value)); }
  void set(std::string_view value);
  void set(std::span<const std::byte> value);
  void set(std::span<const double> values) {
    for (const double value : values) set(value);
  }
  template <class Value>
  void set(const std::optional<Value>& value) {
    value ? set(*value) : note(sqlite3_bind_null(handle_.get(), ++bound_));
  }
  void note(int status) {
    if (status != SQLITE_OK) status_ = status;
  }
  Result<void> finish();

  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
  const std::string* path_ = nullptr;
  int bound_ = 0;
  int status_ = SQLITE_OK;  // of the binding that failed
};

class Database {
 public:
  enum class Mode { write, read, memory };
  // `immutable` promises SQLite that the file does not change: no lock, no file beside it.
  static Result<Database> open(const std::string& path, Mode mode, bool immutable = false);

  Result<Statement> prepare(const std::string& sql);
  Result<void> run(const std::string& sql);
  // The single number that a statement returns, 0 if it returns none.
  Result<std::int64_t> number(const std::string& sql);
  // The error of the last call.
  Error error() const;
  // Leaves the log beside the file unchanged when the connection is closed.
  void leave_log();

  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return *path_; }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<std::string> path_;  // at a fixed address: statements point to it
  std::unique_ptr<sqlite3, Closer> handle_;
};

// An Error for a status of SQLite with its own message, `detail`.
Error database_error(const std::string& path, int status, std::string_view detail,
                     int system_cause = 0);

// Resets a statement at the end of a scope, so that it keeps no transaction open.
struct Resetter {
  Statement& statement;
  ~Resetter() { statement.reset(); }
};

// At the end of a scope, rolls back a transaction that was not committed.
class Rollback {
 public:
  explicit Rollback(Database& database) : database_(database) {}
  Rollback(const Rollback&) = delete;
  Rollback& operator=(const Rollback&) = delete;
  ~Rollback();

 private:
  Database& database_;
};

}  // namespace paco::journal
