#include "journal/columns.hpp"

#include <fmt/format.h>

#include "journal/schema.hpp"

namespace paco::journal {
namespace {

constexpr int kFixedColumns = 13;  // columns that samples of every method have

}  // namespace

const char* const kSelectOperations =
    "SELECT event, sequence, time, actor, kind, request, outcome, undoes, chain FROM operations ";
const char* const kSelectSources =
    "SELECT identity, first, name, consumed, digest, checksum FROM sources";
const char* const kSelectCategories =
    "SELECT id, name, kind, now, retired, born, checksum FROM category_rows ORDER BY id";

std::string select_samples(const JournalSettings& settings) {
  std::string sql =
      "SELECT sequence, event, category, prototype, runner_up, verdict, counted, key, sample, "
      "embedding, chain, score, threshold";
  for (const JournalColumn& column : settings.evidence) sql += ", " + quote_name(column.name);
  return sql + " FROM samples ";
}

std::string insert_sample(const JournalSettings& settings) {
  std::string sql = "INSERT INTO samples VALUES(?1";
  for (std::size_t i = 1; i < std::size_t{kFixedColumns} + settings.evidence.size(); ++i)
    sql += fmt::format(",?{}", i + 1);
  return sql + ")";
}

bool is_sample(const Statement& row, const JournalSettings& settings) {
  return row.has_types("iiiiiiiTtIirr") &&
         row.has_numbers(kFixedColumns, settings.evidence.size()) &&
         row.number_at(5) < settings.verdicts.size() && row.number_at(6) <= 1;
}

void read_sample(const Statement& row, std::size_t columns, io::DecidedSample& into) {
  into.sequence = row.number_at(0);
  into.event = row.number_at(1);
  into.category = row.integer_at(2);
  into.prototype = row.integer_at(3);
  into.runner_up = row.integer_at(4);
  into.verdict = static_cast<Verdict>(row.integer_at(5));
  into.counted = row.integer_at(6) != 0;
  into.key = row.text_at(7);
  into.sample = row.text_at(8);
  into.score = row.real_at(11);
  into.threshold = row.real_at(12);
  for (std::size_t i = 0; i < columns; ++i)
    into.evidence[i] = row.real_at(kFixedColumns + static_cast<int>(i));
}

bool is_operation(const Statement& row) { return row.has_types("iirttttIi"); }

OperationRow read_operation(const Statement& row) {
  OperationRow operation;
  operation.event = row.number_at(0);
  operation.sequence = row.number_at(1);
  operation.time = row.real_at(2);
  operation.actor = row.text_at(3);
  operation.kind = row.text_at(4);
  operation.request = row.text_at(5);
  operation.outcome = row.text_at(6);
  operation.undoes = row.optional_at(7);
  return operation;
}

bool is_category(const Statement& row) { return row.has_types("ittiiii") && row.number_at(4) <= 1; }

CategoryRow read_category(const Statement& row) {
  CategoryRow category;
  category.id = row.integer_at(0);
  category.name = row.text_at(1);
  category.kind = row.text_at(2);
  category.now = row.integer_at(3);
  category.retired = row.integer_at(4) != 0;
  category.born = row.number_at(5);
  return category;
}

std::optional<SourceRow> read_source(const Statement& row, FieldSum& fields) {
  if (!row.has_types("iitiii")) return std::nullopt;
  SourceRow source;
  source.identity = row.number_at(0);
  source.first = row.number_at(1);
  source.name = row.text_at(2);
  source.consumed = row.number_at(3);
  source.digest = row.number_at(4);
  if (source_sum(fields, source) != row.number_at(5)) return std::nullopt;
  return source;
}

}  // namespace paco::journal
