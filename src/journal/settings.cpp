#include "journal/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/try.hpp"
#include "journal/checksum.hpp"
#include "journal/schema.hpp"
#include "journal/writer.hpp"

namespace paco::journal {
namespace {

// Bytes 18 and 19 of an SQLite file give its journal mode: 2 means a write-ahead log.
constexpr std::size_t kWriteVersion = 18, kReadVersion = 19;

std::string list_of(const std::vector<std::string>& words) {
  return nlohmann::json(words).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::vector<std::string>> words_of(const std::string& path, std::string_view list) {
  const auto json = nlohmann::json::parse(list, nullptr, false);
  std::vector<std::string> words;
  if (!json.is_array()) return damaged(path, "a list in its settings cannot be read");
  for (const auto& word : json) {
    if (!word.is_string())
      return damaged(path, "a list in its settings has entries that are not words");
    words.push_back(word.get<std::string>());
  }
  return words;
}

Result<void> store(Database& database, const JournalSettings& settings,
                   std::span<const std::byte> model) {
  const std::uint64_t model_sum = checksum_of(model);
  FieldSum fields;
  PACO_ASSIGN(Statement row, database.prepare("INSERT INTO settings VALUES(?1, ?2)"));
  PACO_TRY(row.run("method", settings.method));
  PACO_TRY(row.run("options", settings.options));
  PACO_TRY(row.run("model", settings.model));
  PACO_TRY(row.run("model_checksum", model_sum));
  PACO_TRY(row.run("created", settings.created));
  PACO_TRY(row.run("dimension", settings.dimension));
  PACO_TRY(row.run("verdicts", list_of(settings.verdicts)));
  PACO_TRY(row.run("checksum", settings_sum(fields, settings, model_sum)));
  PACO_TRY(write_retention(database, settings.retention));

  PACO_ASSIGN(Statement column, database.prepare("INSERT INTO evidence VALUES(?1, ?2, ?3, ?4)"));
  for (std::size_t i = 0; i < settings.evidence.size(); ++i) {
    const JournalColumn& evidence = settings.evidence[i];
    std::optional<std::string> choices;
    if (evidence.is_choice) choices = list_of(evidence.choices);
    PACO_TRY(column.run(i, evidence.name, evidence.meaning, choices));
  }
  PACO_ASSIGN(Statement part, database.prepare("INSERT INTO model VALUES(?1, ?2)"));
  for (std::size_t begin = 0, i = 0; begin < model.size(); begin += kPartBytes, ++i) {
    PACO_TRY(part.run(i, model.subspan(begin, std::min(kPartBytes, model.size() - begin))));
  }
  return {};
}

Result<void> store_pictures(Database& database, std::span<const SupportPicture> pictures) {
  PACO_ASSIGN(Statement row, database.prepare("INSERT INTO support_pictures VALUES(?1,?2,?3,?4)"));
  FieldSum fields;
  for (const SupportPicture& one : pictures) {
    PACO_TRY(row.run(one.category, one.position, std::as_bytes(std::span(one.picture)),
                     support_picture_sum(fields, one)));
  }
  return {};
}

// All of sqlite_schema except the numbers of the tables' first pages.
Result<std::multiset<std::string>> objects_of(Database& database) {
  std::multiset<std::string> objects;
  PACO_ASSIGN(Statement row, database.prepare("SELECT type, name, tbl_name, sql FROM "
                                              "sqlite_schema"));
  for (;;) {
    PACO_ASSIGN(const bool found, row.step());
    if (!found) return objects;
    if (!row.has_types("tttT")) return damaged(database.path(), "its list of tables");
    objects.insert(fmt::format("{} '{}' of '{}'\n{}", row.text_at(0), row.text_at(1),
                               row.text_at(2), row.text_at(3)));
  }
}

Result<void> make_tables(Database& database, const JournalSettings& settings) {
  for (const std::string& sql : schema_of(settings)) PACO_TRY(database.run(sql));
  return {};
}

// Checks that the file has every table, index and view that the settings require, word for word,
// and no other.
Result<void> check_schema(Database& database, const JournalSettings& settings) {
  PACO_ASSIGN(Database model, Database::open(database.path(), Database::Mode::memory));
  PACO_TRY(make_tables(model, settings));
  PACO_ASSIGN(const auto expected, objects_of(model));
  PACO_ASSIGN(const auto present, objects_of(database));
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  for (const std::string& object : present) {
    if (!expected.contains(object))
      return damaged(database.path(),
                     fmt::format("{} is not as paco makes it", first_line(object)));
  }
  for (const std::string& object : expected) {
    if (!present.contains(object))
      return damaged(database.path(), fmt::format("{} is missing", first_line(object)));
  }
  return {};
}

struct StoredSums {
  std::uint64_t fixed = 0;
  std::uint64_t retention = 0;
  std::uint64_t checked = 0;
};

// Reads one row of the table; false if the setting is unknown or its value has another type.
bool read_setting(const Statement& row, JournalHeader& header, StoredSums& sums,
                  std::string& verdicts) {
  JournalSettings& settings = header.settings;
  Retention& kept = settings.retention;
  JournalTail& mark = header.checked.tail;
  const bool is_text = row.has_types("tt"), is_number = row.has_types("ti");
  const bool is_double = row.has_types("tr"), is_null = row.has_types("t") && row.is_null(1);
  const std::string_view name = row.text_at(0);
  const std::pair<std::string_view, std::string*> texts[] = {{"method", &settings.method},
                                                             {"options", &settings.options},
                                                             {"model", &settings.model},
                                                             {"verdicts", &verdicts}};
  for (const auto& [text, value] : texts) {
    if (name == text) {
      *value = row.text_at(1);
      return is_text;
    }
  }
  std::uint64_t dimension = settings.dimension, needs_log = header.needs_log;
  const std::pair<std::string_view, std::uint64_t*> numbers[] = {
      {"model_checksum", &header.model},
      {"dimension", &dimension},
      {"checksum", &sums.fixed},
      {"snapshot_samples", &kept.snapshot_samples},
      {"keep_snapshots", &kept.snapshots},
      {"retention_checksum", &sums.retention},
      {"checked_events", &mark.events},
      {"checked_samples", &mark.samples},
      {"checked_operations", &mark.operations},
      {"checked_chain", &mark.chain},
      {"checked_keys", &header.checked.keys},
      {"needs_log", &needs_log},
      {"checked_checksum", &sums.checked}};
  for (const auto& [number, value] : numbers) {
    if (name == number) {
      *value = row.number_at(1);
      settings.dimension = dimension;
      header.needs_log = needs_log != 0;
      return is_number && needs_log <= 1;
    }
  }
  if (name == "created") {
    settings.created = row.real_at(1);
    return is_double;
  }
  kept.embeddings = row.optional_at(1);
  return name == "keep_embeddings" && (is_number || is_null);
}

}  // namespace

Error damaged(const std::string& path, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: the journal is damaged: {}", path, what),
               "'paco journal verify' says more; take a copy from before the damage"};
}

Result<std::vector<std::byte>> new_journal_file(const std::string& path,
                                                const JournalSettings& settings,
                                                std::span<const std::byte> model,
                                                std::span<const CategoryRow> categories,
                                                std::span<const SupportPicture> pictures) {
  PACO_TRY(check_settings(path, settings));
  PACO_ASSIGN(Database database, Database::open(path, Database::Mode::memory));
  PACO_TRY(database.run(
      fmt::format("PRAGMA page_size={}; PRAGMA auto_vacuum=NONE; PRAGMA application_id={}; PRAGMA "
                  "user_version={}",
                  kPageBytes, kApplicationId, kVersion)));
  PACO_TRY(database.run("BEGIN"));
  PACO_TRY(make_tables(database, settings));
  PACO_TRY(store(database, settings, model));
  PACO_TRY(store_pictures(database, pictures));
  // Refuse settings here that cannot be read back as given (a word that is not UTF-8), instead of
  // failing when the journal is opened later.
  const Result<JournalHeader> header = read_header(database);
  if (!header.ok())
    return Error{ErrorCode::bad_argument, fmt::format("{}: settings that are no plain text", path),
                 "names and words are UTF-8"};
  PACO_TRY(database.run("COMMIT"));
  PACO_ASSIGN(const auto writer,
              Writer::create(std::move(database), *header, header->checked, false));
  PACO_TRY(writer->append({}, categories));

  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> image(
      sqlite3_serialize(writer->database().handle(), "main", &size, 0), &sqlite3_free);
  if (image == nullptr) return database_error(path, SQLITE_NOMEM, "");
  const auto* begin = reinterpret_cast<const std::byte*>(image.get());
  std::vector<std::byte> bytes(begin, begin + size);
  bytes[kWriteVersion] = bytes[kReadVersion] = std::byte{2};
  return bytes;
}

Result<JournalHeader> read_header(Database& database) {
  const std::string& path = database.path();
  JournalHeader header;
  JournalSettings& settings = header.settings;
  StoredSums sums;
  std::string verdicts;
  PACO_ASSIGN(Statement row, database.prepare("SELECT name, value FROM settings"));
  for (;;) {
    PACO_ASSIGN(const bool found, row.step());
    if (!found) break;
    if (!read_setting(row, header, sums, verdicts))
      return damaged(path, fmt::format("its setting '{}'", row.text_at(0)));
  }
  PACO_ASSIGN(settings.verdicts, words_of(path, verdicts));
  PACO_ASSIGN(Statement column, database.prepare("SELECT name, meaning, choices, position FROM "
                                                 "evidence ORDER BY position"));
  for (;;) {
    PACO_ASSIGN(const bool found, column.step());
    if (!found) break;
    const bool has_types = column.has_types("ttTi");
    if (!has_types || column.number_at(3) != settings.evidence.size())
      return damaged(path, fmt::format("evidence column {} is missing", settings.evidence.size()));
    JournalColumn& evidence = settings.evidence.emplace_back();
    evidence.name = column.text_at(0);
    evidence.meaning = column.text_at(1);
    evidence.is_choice = !column.is_null(2);
    if (evidence.is_choice) {
      PACO_ASSIGN(evidence.choices, words_of(path, column.text_at(2)));
    }
  }
  FieldSum fields;
  header.chain_start = settings_sum(fields, settings, header.model);
  if (header.chain_start != sums.fixed || !check_settings(path, settings).ok() ||
      retention_sum(fields, settings.retention) != sums.retention) {
    return damaged(path, "the checksum of its settings does not match");
  }
  if (header.checked == CheckedTail{} && !header.needs_log) {
    header.checked.tail.chain = header.chain_start;
  } else if (checked_sum(fields, header.checked, header.needs_log) != sums.checked) {
    return damaged(path, "the checksum of its settings does not match");
  }
  PACO_TRY(check_schema(database, settings));
  return header;
}

Result<void> write_checked(Database& database, const CheckedTail& checked, bool needs_log) {
  FieldSum fields;
  PACO_ASSIGN(Statement row, database.prepare("INSERT OR REPLACE INTO settings VALUES(?1, ?2)"));
  PACO_TRY(row.run("checked_events", checked.tail.events));
  PACO_TRY(row.run("checked_samples", checked.tail.samples));
  PACO_TRY(row.run("checked_operations", checked.tail.operations));
  PACO_TRY(row.run("checked_chain", checked.tail.chain));
  PACO_TRY(row.run("checked_keys", checked.keys));
  PACO_TRY(row.run("needs_log", needs_log));
  return row.run("checked_checksum", checked_sum(fields, checked, needs_log));
}

Result<void> write_retention(Database& database, const Retention& retention) {
  FieldSum fields;
  PACO_ASSIGN(Statement row, database.prepare("INSERT OR REPLACE INTO settings VALUES(?1, ?2)"));
  PACO_TRY(row.run("keep_embeddings", retention.embeddings));
  PACO_TRY(row.run("snapshot_samples", retention.snapshot_samples));
  PACO_TRY(row.run("keep_snapshots", retention.snapshots));
  return row.run("retention_checksum", retention_sum(fields, retention));
}

Result<std::vector<std::byte>> read_model(Database& database, std::uint64_t checksum) {
  std::vector<std::byte> model;
  PACO_ASSIGN(Statement part, database.prepare("SELECT bytes FROM model ORDER BY part"));
  for (;;) {
    PACO_ASSIGN(const bool found, part.step());
    if (!found) break;
    const auto bytes = part.blob_at(0);
    model.insert(model.end(), bytes.begin(), bytes.end());
  }
  if (checksum_of(model) != checksum)
    return damaged(database.path(), "the checksum of its model does not match");
  return model;
}

Result<Snapshot> read_snapshot(Database& database, const Statement& row) {
  Snapshot snapshot;
  const bool has_types = row.has_types("iitii");
  snapshot.event = row.number_at(0);
  snapshot.sequence = row.number_at(1);
  snapshot.digest = row.text_at(2);
  snapshot.size = row.number_at(3);
  PACO_ASSIGN(Statement part,
              database.prepare("SELECT bytes FROM snapshot_parts WHERE event = ?1 ORDER BY part"));
  part.bind(snapshot.event);
  for (;;) {
    PACO_ASSIGN(const bool found, part.step());
    if (!found) break;
    const auto bytes = part.blob_at(0);
    snapshot.bytes.insert(snapshot.bytes.end(), bytes.begin(), bytes.end());
  }
  FieldSum fields;
  if (!has_types || snapshot.bytes.size() != snapshot.size ||
      snapshot_sum(fields, snapshot, checksum_of(snapshot.bytes)) != row.number_at(4)) {
    return damaged(
        database.path(),
        fmt::format("the checksum of the snapshot at event {} does not match", snapshot.event));
  }
  return snapshot;
}

}  // namespace paco::journal
