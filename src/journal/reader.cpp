#include "journal/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "journal/check.hpp"
#include "journal/checksum.hpp"
#include "journal/columns.hpp"
#include "journal/open.hpp"
#include "journal/reader_state.hpp"
#include "journal/schema.hpp"

namespace paco::journal {

using namespace journal;

namespace {

// Upper bound on memory reserved before rows are read, because callers may request any count.
constexpr std::size_t kFirstReserve = 4096;

}  // namespace

JournalReader::JournalReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;
JournalReader::~JournalReader() = default;

Result<JournalReader> JournalReader::open(const std::string& path) {
  return core::guard_memory("open the journal", [&]() -> Result<JournalReader> {
    PACO_ASSIGN(CheckedFile file, open_file(path, Database::Mode::read));
    PACO_ASSIGN(auto state, State::create(std::move(file.database), std::move(file.header),
                                          file.checked, std::make_shared<std::atomic<bool>>()));
    return JournalReader(std::move(state));
  });
}

Result<JournalReader> JournalReader::another_reader() const {
  if (!state_->database) return closed();
  return core::guard_memory("open the journal", [&]() -> Result<JournalReader> {
    PACO_ASSIGN(Database database, Database::open(state_->path, Database::Mode::read));
    PACO_ASSIGN(auto state, State::create(std::move(database), state_->header, state_->checked,
                                          state_->keys_are_good));
    return JournalReader(std::move(state));
  });
}

Result<std::unique_ptr<JournalReader::State>> JournalReader::State::create(
    Database database, JournalHeader header, CheckedTail checked,
    std::shared_ptr<std::atomic<bool>> keys_are_good) {
  auto state = std::make_unique<State>();
  State& s = *state;
  s.path = database.path();
  s.header = std::move(header);
  s.checked = checked;
  s.keys_are_good = std::move(keys_are_good);
  const std::string select = select_samples(s.header.settings);
  PACO_ASSIGN(s.by_sequence, database.prepare(select + "WHERE sequence = ?1"));
  PACO_ASSIGN(s.by_key, database.prepare(select + "WHERE key = ?1"));
  PACO_ASSIGN(s.page, database.prepare(select + "WHERE sequence >= ?1 ORDER BY sequence LIMIT ?2"));
  PACO_ASSIGN(s.operation_page, database.prepare(std::string(kSelectOperations) +
                                                 "WHERE event >= ?1 ORDER BY event LIMIT ?2"));
  PACO_ASSIGN(s.embedding_run,
              database.prepare("SELECT first_sequence, count, type FROM embeddings "
                               "WHERE first_sequence <= ?1 ORDER BY first_sequence DESC "
                               "LIMIT 1"));
  PACO_ASSIGN(s.moved,
              database.prepare("SELECT prototype, counted FROM moved WHERE sequence = ?1"));
  PACO_ASSIGN(s.extras, database.prepare("SELECT attributes, picture IS NOT NULL FROM extras WHERE "
                                         "sequence = ?1"));
  PACO_ASSIGN(s.picture, database.prepare("SELECT picture FROM extras WHERE sequence = ?1"));
  PACO_ASSIGN(s.arrival,
              database.prepare("SELECT first_sequence, time, checksum FROM arrivals WHERE "
                               "first_sequence <= ?1 ORDER BY first_sequence DESC LIMIT 1"));
  PACO_ASSIGN(s.sample_chain, database.prepare("SELECT chain FROM samples WHERE sequence = ?1 AND "
                                               "event = ?2"));
  PACO_ASSIGN(s.operation_chain, database.prepare("SELECT chain FROM operations WHERE event = ?1"));
  s.database.emplace(std::move(database));
  return state;
}

Error JournalReader::closed() const {
  return {ErrorCode::bad_argument, fmt::format("{}: the journal is closed", state_->path), ""};
}

void JournalReader::close_reader() {
  for (Statement* statement :
       {&state_->by_sequence, &state_->by_key, &state_->page, &state_->operation_page,
        &state_->embedding_run, &state_->moved, &state_->extras, &state_->picture,
        &state_->sample_chain, &state_->operation_chain, &state_->arrival}) {
    *statement = {};
  }
  state_->database.reset();
}

void JournalReader::set_retention(const Retention& retention) {
  state_->header.settings.retention = retention;
}

const std::string& JournalReader::path() const { return state_->path; }
const JournalSettings& JournalReader::settings() const { return state_->header.settings; }

Result<std::vector<std::byte>> JournalReader::model() {
  return ask([](State& s) { return read_model(*s.database, s.header.model); });
}

Result<void> JournalReader::copy_to(const std::string& path) {
  return ask([&](State& s) -> Result<void> {
    // Under query_only SQLite refuses VACUUM INTO, although it does not change this file.
    PACO_TRY(s.database->run("PRAGMA query_only=OFF"));
    const Result<void> copied = s.database->run("VACUUM INTO " + quote_text(path));
    PACO_TRY(s.database->run("PRAGMA query_only=ON"));
    return copied;
  });
}

Result<JournalTail> JournalReader::tail() {
  return ask([](State& s) -> Result<JournalTail> {
    JournalTail tail;
    PACO_ASSIGN(
        Statement last,
        s.database->prepare(
            "SELECT (SELECT max(sequence) FROM samples), (SELECT count(*) FROM operations), "
            "(SELECT event FROM samples ORDER BY sequence DESC LIMIT 1), "
            "(SELECT max(event) FROM operations), "
            "(SELECT chain FROM samples ORDER BY sequence DESC LIMIT 1), "
            "(SELECT chain FROM operations ORDER BY event DESC LIMIT 1)"));
    PACO_TRY(last.step());
    tail.samples = last.is_null(0) ? 0 : last.number_at(0) + 1;
    tail.operations = last.number_at(1);
    tail.events = tail.samples + tail.operations;
    const bool ends_with_operation =
        !last.is_null(3) && (last.is_null(2) || last.number_at(3) > last.number_at(2));
    tail.chain = tail.events == 0      ? s.header.chain_start
                 : ends_with_operation ? last.number_at(5)
                                       : last.number_at(4);
    return tail;
  });
}

Result<std::optional<io::DecidedSample>> JournalReader::State::single(Statement& statement) {
  const Resetter resetter{statement};
  PACO_ASSIGN(const bool found, statement.step());
  if (!found) return std::optional<io::DecidedSample>{};
  io::DecidedSample sample;
  ChainBefore before;
  PACO_TRY(take_sample(statement, before, sample));
  return std::optional(std::move(sample));
}

// The event before is the sample before, or an operation.
Result<std::uint64_t> JournalReader::State::chain_before(std::uint64_t event,
                                                         const ChainBefore& before) {
  if (event == 0) return header.chain_start;
  if (before.event == event - 1) return before.chain;
  const Resetter resetter{operation_chain};
  PACO_ASSIGN(const bool found, operation_chain.bind(event - 1).step());
  return found ? operation_chain.number_at(0) : 0;
}

Result<void> JournalReader::State::take_sample(const Statement& row, ChainBefore& before,
                                               io::DecidedSample& into) {
  const bool has_types = is_sample(row, header.settings);
  read_sample(row, header.settings.evidence.size(), into);
  if (!before.event && into.sequence > 0) {
    const Resetter resetter{sample_chain};
    PACO_ASSIGN(const bool found, sample_chain.bind(into.sequence - 1, into.event - 1).step());
    if (found) before = {into.event - 1, sample_chain.number_at(0)};
  }
  PACO_ASSIGN(const std::uint64_t chain, chain_before(into.event, before));
  const std::uint64_t link =
      sample_link(fields, chain, into, header.settings.evidence.size(), embedding_of_sample(row));
  if (!has_types || link != chain_of_sample(row))
    return damaged(path, fmt::format("the checksum of sample {} does not match", into.sequence));
  before = {into.event, link};
  return {};
}

Result<OperationRow> JournalReader::State::take_operation(const Statement& row,
                                                          ChainBefore& before) {
  const bool has_types = is_operation(row);
  OperationRow operation = read_operation(row);
  if (before.event != operation.event - 1 && operation.sequence > 0) {
    const Resetter resetter{sample_chain};
    PACO_ASSIGN(const bool found,
                sample_chain.bind(operation.sequence - 1, operation.event - 1).step());
    if (found) before = {operation.event - 1, sample_chain.number_at(0)};
  }
  PACO_ASSIGN(const std::uint64_t chain, chain_before(operation.event, before));
  const std::uint64_t link = operation_link(fields, chain, operation);
  if (!has_types || link != chain_of_operation(row)) {
    return damaged(path,
                   fmt::format("the checksum of operation {} does not match", operation.event));
  }
  before = {operation.event, link};
  return operation;
}

Result<std::optional<io::DecidedSample>> JournalReader::sample(std::uint64_t sequence) {
  return ask([&](State& s) { return s.single(s.by_sequence.bind(sequence)); });
}

Result<std::optional<io::DecidedSample>> JournalReader::find_key(std::string_view key) {
  return ask([&](State& s) -> Result<std::optional<io::DecidedSample>> {
    // A damaged entry of the index would hide a key that was seen.
    if (!s.keys_are_good->load()) {
      PACO_TRY(s.database->run("BEGIN"));
      const Rollback rollback(*s.database);
      PACO_TRY(check_keys(*s.database, s.checked));
      s.keys_are_good->store(true);
    }
    return s.single(s.by_key.bind(key));
  });
}

Result<std::vector<io::DecidedSample>> JournalReader::samples(std::uint64_t from,
                                                              std::size_t count) {
  return ask([&](State& s) -> Result<std::vector<io::DecidedSample>> {
    const Resetter resetter{s.page};
    std::vector<io::DecidedSample> rows;
    rows.reserve(std::min(count, kFirstReserve));
    s.page.bind(from, count);
    ChainBefore before;
    for (;;) {
      PACO_ASSIGN(const bool found, s.page.step());
      if (!found) return rows;
      PACO_TRY(s.take_sample(s.page, before, rows.emplace_back()));
    }
  });
}

Result<std::vector<OperationRow>> JournalReader::operations(std::uint64_t from, std::size_t count) {
  return ask([&](State& s) -> Result<std::vector<OperationRow>> {
    const Resetter resetter{s.operation_page};
    std::vector<OperationRow> rows;
    s.operation_page.bind(from, count);
    ChainBefore before;
    for (;;) {
      PACO_ASSIGN(const bool found, s.operation_page.step());
      if (!found) return rows;
      PACO_ASSIGN(OperationRow row, s.take_operation(s.operation_page, before));
      rows.push_back(std::move(row));
    }
  });
}

// Reads both tables from the event on and merges them by event.
Result<std::vector<StoredEvent>> JournalReader::events(std::uint64_t from, std::size_t count) {
  return ask([&](State& s) -> Result<std::vector<StoredEvent>> {
    PACO_ASSIGN(const std::int64_t before,
                s.database->number(fmt::format("SELECT count(*) FROM operations WHERE event < {}",
                                               static_cast<std::int64_t>(from))));
    PACO_ASSIGN(std::vector<OperationRow> changes, operations(from, count));
    PACO_ASSIGN(std::vector<io::DecidedSample> rows,
                samples(from - static_cast<std::uint64_t>(before), count));
    std::vector<StoredEvent> merged;
    merged.reserve(std::min(count, changes.size() + rows.size()));
    auto operation = changes.begin();
    auto row = rows.begin();
    while (merged.size() < count && (operation != changes.end() || row != rows.end())) {
      if (row == rows.end() || (operation != changes.end() && operation->event < row->event)) {
        merged.emplace_back(std::move(*operation++));
      } else {
        merged.emplace_back(std::move(*row++));
      }
    }
    return merged;
  });
}

Result<std::vector<CategoryRow>> JournalReader::categories() {
  return ask([](State& s) -> Result<std::vector<CategoryRow>> {
    std::vector<CategoryRow> rows;
    PACO_ASSIGN(Statement row, s.database->prepare(kSelectCategories));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) break;
      rows.push_back(read_category(row));
    }
    PACO_ASSIGN(Statement owned,
                s.database->prepare("SELECT id, category FROM prototypes ORDER BY id"));
    for (;;) {
      PACO_ASSIGN(const bool found, owned.step());
      if (!found) return rows;
      const auto owner = std::lower_bound(
          rows.begin(), rows.end(), owned.integer_at(1),
          [](const CategoryRow& category, std::int64_t id) { return category.id < id; });
      if (owner == rows.end() || owner->id != owned.integer_at(1))
        return damaged(s.path, fmt::format("prototype {} is owned by category {}, which is missing",
                                           owned.integer_at(0), owned.integer_at(1)));
      owner->prototypes.push_back(owned.integer_at(0));
    }
  });
}

Result<std::optional<Membership>> JournalReader::membership(std::uint64_t sequence) {
  return ask([&](State& s) -> Result<std::optional<Membership>> {
    const Resetter resetter{s.moved};
    PACO_ASSIGN(const bool found, s.moved.bind(sequence).step());
    if (found) {
      return std::optional(Membership{sequence, s.moved.integer_at(0), s.moved.integer_at(1) != 0});
    }
    PACO_ASSIGN(const std::optional<io::DecidedSample> decided, sample(sequence));
    if (!decided) return std::optional<Membership>{};
    return std::optional(Membership{sequence, decided->prototype, decided->counted});
  });
}

Result<std::vector<SourceRow>> JournalReader::sources() {
  return ask([](State& s) -> Result<std::vector<SourceRow>> {
    std::vector<SourceRow> rows;
    FieldSum fields;
    PACO_ASSIGN(Statement row, s.database->prepare(kSelectSources));
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return rows;
      const std::optional<SourceRow> source = read_source(row, fields);
      if (!source) return damaged(s.path, "the checksum of a source does not match");
      rows.push_back(*source);
    }
  });
}

Result<std::vector<Membership>> JournalReader::members(std::span<const std::int64_t> prototypes,
                                                       std::uint64_t from) {
  return ask([&](State& s) -> Result<std::vector<Membership>> {
    PACO_ASSIGN(
        Statement row,
        s.database->prepare(fmt::format(
            "SELECT sequence, prototype, counted FROM samples WHERE sequence >= {0} AND prototype "
            "IN ({1}) AND sequence NOT IN (SELECT sequence FROM moved) UNION ALL "
            "SELECT sequence, prototype, counted FROM moved WHERE sequence >= {0} AND prototype IN "
            "({1}) ORDER BY sequence",
            static_cast<std::int64_t>(from), fmt::join(prototypes, ","))));
    std::vector<Membership> rows;
    for (;;) {
      PACO_ASSIGN(const bool found, row.step());
      if (!found) return rows;
      rows.push_back({row.number_at(0), row.integer_at(1), row.integer_at(2) != 0});
    }
  });
}

}  // namespace paco::journal
