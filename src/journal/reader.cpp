#include "journal/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "io/element.hpp"
#include "journal/checksum.hpp"
#include "journal/embedding_run.hpp"
#include "journal/sample_columns.hpp"

namespace paco::journal {
namespace {

// Memory that is set aside before the rows are seen; a page may be asked for with any count.
constexpr std::size_t kFirstReserve = 4096;

// Resets a statement at the end of a scope, so that it holds no view of the file open.
struct Resetter {
  Statement& statement;
  ~Resetter() { statement.reset(); }
};

}  // namespace

Result<std::unique_ptr<Reader>> Reader::create(Database database, Opened opened) {
  std::unique_ptr<Reader> reader(new Reader(std::move(database), std::move(opened)));
  PACO_TRY(reader->prepare());
  return reader;
}

Result<void> Reader::prepare() {
  const std::string samples = select_samples(opened_.settings);
  PACO_ASSIGN(by_sequence_, database_.prepare(samples + "WHERE sequence = ?1"));
  PACO_ASSIGN(by_key_, database_.prepare(samples + "WHERE key = ?1"));
  PACO_ASSIGN(page_,
              database_.prepare(samples + "WHERE sequence >= ?1 ORDER BY sequence LIMIT ?2"));
  PACO_ASSIGN(operations_, database_.prepare(std::string(kSelectOperations) +
                                             "WHERE event >= ?1 ORDER BY event LIMIT ?2"));
  PACO_ASSIGN(run_, database_.prepare("SELECT first_sequence, count, type, rowid FROM embeddings "
                                      "WHERE first_sequence <= ?1 ORDER BY first_sequence DESC "
                                      "LIMIT 1"));
  PACO_ASSIGN(moved_,
              database_.prepare("SELECT prototype, counted FROM moved WHERE sequence = ?1"));
  if (opened_.version < 2) return {};
  PACO_ASSIGN(extras_, database_.prepare("SELECT attributes, picture IS NOT NULL FROM extras WHERE "
                                         "sequence = ?1"));
  PACO_ASSIGN(picture_, database_.prepare("SELECT picture FROM extras WHERE sequence = ?1"));
  return {};
}

Result<JournalTail> Reader::tail() {
  JournalTail tail;
  PACO_ASSIGN(Statement last,
              database_.prepare(
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
  tail.chain = tail.events == 0      ? opened_.chain_start
               : ends_with_operation ? last.number_at(5)
                                     : last.number_at(4);
  return tail;
}

Result<std::optional<StoredSample>> Reader::single(Statement& statement) {
  const Resetter resetter{statement};
  PACO_ASSIGN(const bool found, statement.step());
  if (!found) return std::optional<StoredSample>{};
  StoredSample sample;
  read_sample(statement, opened_.settings.evidence.size(), sample);
  return std::optional(std::move(sample));
}

Result<std::optional<StoredSample>> Reader::sample(std::uint64_t sequence) {
  return single(by_sequence_.integer(sequence));
}

Result<std::optional<StoredSample>> Reader::find_key(std::string_view key) {
  return single(by_key_.text(key));
}

Result<std::vector<std::uint64_t>> Reader::embedding_checksums() {
  PACO_ASSIGN(Statement all, database_.prepare("SELECT embedding FROM samples ORDER BY sequence"));
  std::vector<std::uint64_t> sums;
  while (true) {
    PACO_ASSIGN(const bool more, all.step());
    if (!more) return sums;
    sums.push_back(all.optional_at(0).value_or(0));
  }
}

Result<std::vector<StoredSample>> Reader::samples(std::uint64_t from, std::size_t count) {
  const Resetter resetter{page_};
  std::vector<StoredSample> rows;
  rows.reserve(std::min(count, kFirstReserve));
  page_.integer(from).integer(static_cast<std::int64_t>(count));
  for (;;) {
    PACO_ASSIGN(const bool found, page_.step());
    if (!found) return rows;
    read_sample(page_, opened_.settings.evidence.size(), rows.emplace_back());
  }
}

Result<std::vector<OperationRow>> Reader::operations(std::uint64_t from_event, std::size_t count) {
  const Resetter resetter{operations_};
  std::vector<OperationRow> rows;
  operations_.integer(from_event).integer(static_cast<std::int64_t>(count));
  for (;;) {
    PACO_ASSIGN(const bool found, operations_.step());
    if (!found) return rows;
    rows.push_back(read_operation(operations_));
  }
}

Result<std::vector<StoredEvent>> Reader::events(std::uint64_t from_event, std::size_t count) {
  PACO_ASSIGN(const std::int64_t before,
              database_.number(fmt::format("SELECT count(*) FROM operations WHERE event < {}",
                                           static_cast<std::int64_t>(from_event))));
  PACO_ASSIGN(std::vector<OperationRow> with, operations(from_event, count));
  PACO_ASSIGN(std::vector<StoredSample> rows,
              samples(from_event - static_cast<std::uint64_t>(before), count));
  std::vector<StoredEvent> merged;
  merged.reserve(std::min(count, with.size() + rows.size()));
  auto operation = with.begin();
  auto row = rows.begin();
  while (merged.size() < count && (operation != with.end() || row != rows.end())) {
    if (row == rows.end() || (operation != with.end() && operation->event < row->event)) {
      merged.emplace_back(std::move(*operation++));
    } else {
      merged.emplace_back(std::move(*row++));
    }
  }
  return merged;
}

Result<std::vector<CategoryRow>> Reader::categories() {
  std::vector<CategoryRow> rows;
  PACO_ASSIGN(Statement row, database_.prepare("SELECT id, name, kind, now, retired, born FROM "
                                               "category_rows ORDER BY id"));
  for (;;) {
    PACO_ASSIGN(const bool found, row.step());
    if (!found) break;
    CategoryRow& category = rows.emplace_back();
    category.id = row.integer_at(0);
    category.name = row.text_at(1);
    category.kind = row.text_at(2);
    category.now = row.integer_at(3);
    category.retired = row.integer_at(4) != 0;
    category.born = row.number_at(5);
  }
  PACO_ASSIGN(Statement owned,
              database_.prepare("SELECT id, category FROM prototypes ORDER BY id"));
  for (;;) {
    PACO_ASSIGN(const bool found, owned.step());
    if (!found) return rows;
    const auto owner = std::lower_bound(
        rows.begin(), rows.end(), owned.integer_at(1),
        [](const CategoryRow& category, std::int64_t id) { return category.id < id; });
    if (owner == rows.end() || owner->id != owned.integer_at(1))
      return damaged(database_.path(),
                     fmt::format("prototype {} is owned by category {}, which there is not",
                                 owned.integer_at(0), owned.integer_at(1)));
    owner->prototypes.push_back(owned.integer_at(0));
  }
}

Result<Extras> Reader::extras(std::uint64_t sequence, bool with_picture) {
  Extras out;
  out.sequence = sequence;
  if (opened_.version < 2) return out;
  const Resetter resetter{extras_};
  PACO_ASSIGN(const bool found, extras_.integer(sequence).step());
  if (!found) return out;
  out.attributes = extras_.text_at(0);
  out.has_picture = extras_.integer_at(1) != 0;
  if (!with_picture || !out.has_picture) return out;
  const Resetter picture_resetter{picture_};
  PACO_TRY(picture_.integer(sequence).step());
  const std::span<const std::byte> bytes = picture_.blob_at(0);
  out.picture.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return out;
}

Result<std::optional<Membership>> Reader::membership(std::uint64_t sequence) {
  const Resetter resetter{moved_};
  PACO_ASSIGN(const bool found, moved_.integer(sequence).step());
  if (found) {
    return std::optional(Membership{sequence, moved_.integer_at(0), moved_.integer_at(1) != 0});
  }
  PACO_ASSIGN(const std::optional<StoredSample> decided, sample(sequence));
  if (!decided) return std::optional<Membership>{};
  return std::optional(Membership{sequence, decided->prototype, decided->counted});
}

Result<std::vector<Membership>> Reader::members(std::span<const std::int64_t> prototypes,
                                                std::uint64_t from) {
  std::string list;
  for (const std::int64_t prototype : prototypes)
    list += fmt::format("{}{}", list.empty() ? "" : ",", prototype);
  PACO_ASSIGN(
      Statement row,
      database_.prepare(fmt::format(
          "SELECT sequence, prototype, counted FROM samples WHERE sequence >= {0} AND prototype IN "
          "({1}) AND sequence NOT IN (SELECT sequence FROM moved) UNION ALL "
          "SELECT sequence, prototype, counted FROM moved WHERE sequence >= {0} AND prototype IN "
          "({1}) "
          "ORDER BY sequence",
          static_cast<std::int64_t>(from), list)));
  std::vector<Membership> rows;
  for (;;) {
    PACO_ASSIGN(const bool found, row.step());
    if (!found) return rows;
    rows.push_back({row.number_at(0), row.integer_at(1), row.integer_at(2) != 0});
  }
}

}  // namespace paco::journal
