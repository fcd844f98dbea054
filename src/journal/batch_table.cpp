#include "journal/batch_table.hpp"

#include <fmt/format.h>

#include <new>

#include "core/try.hpp"

namespace paco::journal {
namespace {

// Columns of `samples` that every method has.
constexpr int kFixedColumns = 13;

void give(sqlite3_context* context, std::uint64_t number) {
  sqlite3_result_int64(context, static_cast<std::int64_t>(number));
}

// The batch keeps the text for as long as the statement runs.
void give(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

}  // namespace

// What SQLite calls. There is one table and one cursor at a time, so both are little more than a
// pointer to the BatchTable.
struct BatchTable::Module {
  struct Table {
    sqlite3_vtab base;
    BatchTable* owner;
  };

  static BatchTable& owner(sqlite3_vtab_cursor* cursor) {
    return *reinterpret_cast<Table*>(cursor->pVtab)->owner;
  }

  static int connect(sqlite3* database, void* owner, int, const char* const*, sqlite3_vtab** out,
                     char**) {
    auto* mine = static_cast<BatchTable*>(owner);
    std::string sql = "CREATE TABLE x(c0";
    for (std::size_t i = 1; i < kFixedColumns + mine->evidence_; ++i) sql += fmt::format(",c{}", i);
    const int status = sqlite3_declare_vtab(database, (sql + ")").c_str());
    if (status != SQLITE_OK) return status;
    auto* table = new (std::nothrow) Table{{}, mine};
    if (table == nullptr) return SQLITE_NOMEM;
    *out = &table->base;
    return SQLITE_OK;
  }
  static int disconnect(sqlite3_vtab* table) {
    delete reinterpret_cast<Table*>(table);
    return SQLITE_OK;
  }
  static int plan(sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; }
  static int open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
    *out = new (std::nothrow) sqlite3_vtab_cursor{};
    return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  }
  static int close(sqlite3_vtab_cursor* cursor) {
    delete cursor;
    return SQLITE_OK;
  }
  static int first(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
    owner(cursor).position_ = 0;
    return SQLITE_OK;
  }
  static int next(sqlite3_vtab_cursor* cursor) {
    ++owner(cursor).position_;
    return SQLITE_OK;
  }
  static int is_at_end(sqlite3_vtab_cursor* cursor) {
    const BatchTable& table = owner(cursor);
    return static_cast<int>(table.position_ >= table.batch_->samples.size());
  }
  static int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
    owner(cursor).value(context, number);
    return SQLITE_OK;
  }
  static int row(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
    *out = static_cast<sqlite3_int64>(owner(cursor).position_);
    return SQLITE_OK;
  }
  static constexpr sqlite3_module methods() {
    sqlite3_module module{};
    module.xConnect = connect;  // no xCreate: it is there without being made
    module.xDisconnect = disconnect;
    module.xBestIndex = plan;
    module.xOpen = open;
    module.xClose = close;
    module.xFilter = first;
    module.xNext = next;
    module.xEof = is_at_end;
    module.xColumn = column;
    module.xRowid = row;
    return module;
  }
};

Result<void> BatchTable::attach(Database& database) {
  static constexpr sqlite3_module kModule = Module::methods();
  if (sqlite3_create_module(database.handle(), kName, &kModule, this) != SQLITE_OK)
    return database.error();
  return {};
}

void BatchTable::show(const Batch& batch, const std::vector<Link>& links) {
  batch_ = &batch;
  links_ = &links;
  position_ = 0;
}

void BatchTable::value(sqlite3_context* context, int column) const {
  const Batch::Sample& sample = batch_->samples[position_];
  const SampleCore& core = sample.core;
  const Link& link = (*links_)[position_];
  switch (column) {
    case 0:
      return give(context, core.sequence);
    case 1:
      return give(context, core.event);
    case 2:
      return sqlite3_result_int64(context, core.category);
    case 3:
      return sqlite3_result_int64(context, core.prototype);
    case 4:
      return sqlite3_result_int64(context, core.runner_up);
    case 5:
      return sqlite3_result_int(context, core.verdict);
    case 6:
      return sqlite3_result_int(context, core.counted);
    case 7:
      if (sample.has_key) give(context, *batch_->key(sample));
      return;  // else NULL
    case 8:
      return give(context, batch_->name(sample));
    case 9:
      if (link.embedding) give(context, *link.embedding);
      return;
    case 10:
      return give(context, link.chain);
    case 11:
      return sqlite3_result_double(context, core.score);
    case 12:
      return sqlite3_result_double(context, core.threshold);
    default: {
      const auto place = static_cast<std::size_t>(column - kFixedColumns);
      return sqlite3_result_double(context, batch_->evidence[position_ * evidence_ + place]);
    }
  }
}

}  // namespace paco::journal
