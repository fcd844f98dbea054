// Files that are no journals, and journals that are damaged: refused in words, and left as they
// were.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "core/files.hpp"
#include "damaged_file.hpp"
#include "flipped_bytes.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;

void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << sql << ": " << message;
  sqlite3_free(message);
  sqlite3_close(database);
}

// Opened in every way, a file is refused with these words, unchanged, and nothing is beside it.
void expect_refused(const TemporaryFolder& folder, const std::string& words) {
  const std::string path = folder / "j", before = bytes_of(path);
  for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
    const auto opened = Journal::open(path, mode, {});
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr(path));
    EXPECT_THAT(opened.error().message, HasSubstr(words));
    EXPECT_FALSE(opened.error().hint.empty());
  }
  EXPECT_TRUE(bytes_of(path) == before);
  EXPECT_THAT(core::list_folder(folder.path()).value(), ElementsAre("j"));
}

TEST(JournalDamage, OtherFilesAreToldApart) {
  const TemporaryFolder folder;
  const auto absent = Journal::open(folder / "absent", OpenMode::write, {});
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
  EXPECT_THAT(Journal::open(folder.path(), OpenMode::read, {}).error().message,
              HasSubstr("Is a directory"));
  EXPECT_THAT(Journal::open("/dev/null", OpenMode::read, {}).error().message,
              HasSubstr("not a plain file"));
  EXPECT_THAT(core::list_folder(folder.path()).value(), ElementsAre());
  write_bytes(folder / "j", "");
  expect_refused(folder, "the file is empty");
  write_bytes(folder / "j", "sequence,sample,verdict\n" + std::string(5000, 'x'));
  expect_refused(folder, "not a journal");
  write_bytes(folder / "j", std::string("SQLite format 3\0and no more", 27));
  expect_refused(folder, "ends after 27 bytes");
}

TEST(JournalDamage, OtherSqliteFilesAndJournalsOfOtherVersionsAreRefused) {
  const TemporaryFolder folder;
  run_sql(folder / "j", "CREATE TABLE samples(sequence INTEGER PRIMARY KEY)");
  expect_refused(folder, "an SQLite file of another program");
  ASSERT_TRUE(core::remove_file(folder / "j").ok());
  make_full_journal(folder / "j");
  std::string bytes = bytes_of(folder / "j");
  for (const char version : {0, 1, 2, 9}) {
    bytes[63] = version;
    write_bytes(folder / "j", bytes);
    expect_refused(folder, "a journal of version " + std::to_string(int{version}) +
                               ", this paco reads version 5");
  }
}

TEST(JournalDamage, ACutFileIsRefusedAtEveryLength) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  const std::string good = bytes_of(folder / "j");
  for (std::size_t length = 0; length < good.size(); length += 4099) {
    write_bytes(folder / "j", good.substr(0, length));
    expect_refused(folder, length < 100 ? "" : "cut short");
  }
}

// So that opening checks every event again.
constexpr const char* kForgetChecked = "DELETE FROM settings WHERE name LIKE 'checked%'";

TEST(JournalDamage, RowsThatAnotherToolChangedAreNamedByTheirEvent) {
  for (const auto& [sql, words] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE samples SET score = 1 WHERE sequence = 7", "event 7: the checksum of sample 7"},
           {"UPDATE samples SET key = 'x' WHERE sequence = 20", "event 22: the checksum"},
           {"UPDATE samples SET sample = CAST(sample AS BLOB) WHERE sequence = 3", "event 3: "},
           {"UPDATE samples SET counted = 2 WHERE counted = 1", "event "},
           {"DELETE FROM samples WHERE sequence = 5", "event 5: sample 5 is expected"},
           {"DELETE FROM operations WHERE event = 16", "event 16: "},
           {"UPDATE operations SET actor = 'nobody' WHERE event = 17", "event 17: the checksum"},
           {"UPDATE settings SET value = 'other' WHERE name = 'method'",
            "checksum of its settings"},
           {"UPDATE settings SET value = 5 WHERE name = 'keep_embeddings'", "checksum of its set"},
           {"INSERT INTO settings VALUES('more', 1)", "its setting 'more'"},
           {"DELETE FROM evidence WHERE position = 1", "evidence column 1 is missing"},
           {"DROP VIEW decisions", "decisions' is missing"},
           {"UPDATE settings SET value = 7 WHERE name = 'checked_keys'", "checksum of its set"},
           {"CREATE TABLE mine(x)", "table 'mine'"},
           {"CREATE TRIGGER t AFTER INSERT ON samples BEGIN DELETE FROM moved; END", "trigger 't'"},
       }) {
    const TemporaryFolder folder;
    make_full_journal(folder / "j");
    if (sql.find("checked") == std::string::npos) run_sql(folder / "j", kForgetChecked);
    run_sql(folder / "j", sql);
    expect_refused(folder, words);
    core::NoProgress silent;
    const auto report = verify_journal(folder / "j", silent, {});
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report->ok) << sql;
  }
}

TEST(JournalDamage, RowsBeforeTheLastCheckedEventAreHeldToTheChainWhenTheyAreRead) {
  for (const std::string sql : {"UPDATE samples SET score = 1 WHERE sequence = 7",
                                "UPDATE samples SET category = 3 WHERE sequence = 16",
                                "UPDATE samples SET chain = 5 WHERE sequence = 3",
                                "UPDATE samples SET event = 99 WHERE sequence = 12",
                                "UPDATE operations SET actor = 'nobody' WHERE event = 17"}) {
    const TemporaryFolder folder;
    make_full_journal(folder / "j");
    run_sql(folder / "j", sql);
    core::NoProgress silent;
    EXPECT_FALSE(verify_journal(folder / "j", silent, {}).value().ok) << sql;
    auto journal = JournalReader::open(folder / "j");
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    EXPECT_FALSE(journal->events(0, 100).ok()) << sql;
    std::size_t refused = journal->operations(0, 10).ok() ? 0 : 1;
    for (std::uint64_t i = 0; i < 24; ++i) refused += journal->sample(i).ok() ? 0 : 1;
    EXPECT_GE(refused, 1U) << sql;
    EXPECT_LE(refused, 2U) << sql;
  }
}

TEST(JournalDamage, EventsThatWereCheckedAndAreGoneAreMissed) {
  for (const std::string sql : {"DELETE FROM samples WHERE sequence = 23",
                                "UPDATE samples SET chain = 5 WHERE sequence = 23"}) {
    const TemporaryFolder folder;
    make_full_journal(folder / "j");
    run_sql(folder / "j", sql);
    expect_refused(folder, "event 25: ");
  }
}

// Puts other bytes in the place of a key in the index of keys, not in the table: there the name of
// the sample follows the key.
void damage_index(const std::string& path, const std::string& key, const std::string& other) {
  std::string bytes = bytes_of(path);
  bool done = false;
  for (std::size_t at = bytes.find(key); at != std::string::npos; at = bytes.find(key, at + 1)) {
    if (bytes.compare(at + key.size(), 7, "picture") == 0) continue;
    bytes.replace(at, other.size(), other);
    done = true;
  }
  ASSERT_TRUE(done);
  write_bytes(path, bytes);
}

TEST(JournalDamage, AKeyThatTheIndexLostIsNotTakenForNew) {
  for (const char* other : {"key 13", "kez 12", "ÿ"}) {
    const TemporaryFolder folder;
    make_full_journal(folder / "j");
    damage_index(folder / "j", "key 12", other);
    core::NoProgress silent;
    EXPECT_FALSE(verify_journal(folder / "j", silent, {}).value().ok);
    auto journal = Journal::open(folder / "j", OpenMode::write, {});
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    for (const char* key : {"key 12", "key 14", "never seen"}) {
      const auto found = journal->find_key(key);
      ASSERT_FALSE(found.ok()) << key;
      EXPECT_THAT(found.error().message, HasSubstr("index of keys does not match"));
    }
    ASSERT_TRUE(journal->compact({}).ok());
    const auto found = journal->find_key("key 12");
    ASSERT_TRUE(found.ok() && found->has_value());
    EXPECT_EQ((*found)->sequence, 12U);
    ASSERT_TRUE(journal->close().ok());
    EXPECT_TRUE(verify_journal(folder / "j", silent, {}).value().ok);
  }
}

TEST(JournalDamage, WhatOpeningDoesNotReadIsFoundByVerifying) {
  for (const auto& [sql, words] : std::vector<std::pair<std::string, std::string>>{
           {"UPDATE embeddings SET bytes = zeroblob(length(bytes)) WHERE first_sequence = 16",
            "embedding of sample 16"},
           {"UPDATE embeddings SET type = 'int8'", "embeddings of sample 0"},
           {"DELETE FROM embeddings WHERE first_sequence = 16", "had an embedding"},
           {"UPDATE snapshots SET digest = 'x' WHERE event = 26", "snapshot at event 26"},
           {"UPDATE snapshot_parts SET bytes = x'00' WHERE event = 18", "snapshot at event 18"},
           {"INSERT INTO snapshot_parts VALUES(99, 3, x'00')", "part of no snapshot"},
           {"UPDATE category_rows SET name = 'x' WHERE id = 2", "category 2"},
           {"DELETE FROM category_rows WHERE id = 1", "category 1 is missing"},
           {"UPDATE prototypes SET category = 0 WHERE id = 5", "prototype 5"},
           {"UPDATE moved SET prototype = 0 WHERE sequence = 3", "moved sample 3"},
           {"UPDATE model SET bytes = x'00'", "its model"},
       }) {
    const TemporaryFolder folder;
    make_full_journal(folder / "j");
    run_sql(folder / "j", sql);
    core::NoProgress silent;
    const auto report = verify_journal(folder / "j", silent, {});
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report->ok) << sql;
    EXPECT_THAT(report->problem, HasSubstr(words)) << sql;
  }
}

TEST(JournalDamage, AWholeJournalIsFoundWhole) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  core::NoProgress silent;
  const auto report = verify_journal(folder / "j", silent, {});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->ok) << report->problem;
  EXPECT_EQ(report->events, 26U);
  EXPECT_EQ(report->samples, 24U);
  EXPECT_EQ(report->operations, 2U);
  EXPECT_EQ(report->embeddings, 24U);
  EXPECT_EQ(report->snapshots, 2U);
  EXPECT_THAT(core::list_folder(folder.path()).value(), ElementsAre("j"));
}

TEST(JournalDamage, SomeChangedBytesAreNoticedOrMeanNothing) { flip_through(25); }

TEST(JournalDamage, ArbitraryChangesAreSurvived) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  const std::string good = bytes_of(folder / "j");
  const NoSync fast;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    core::Random random(seed);
    std::string bytes = good;
    for (std::uint64_t i = random.below(40); i > 0; --i) {
      const std::size_t place = 100 + random.below(bytes.size() - 100);
      const std::size_t length = std::min<std::size_t>(random.below(64), bytes.size() - place);
      if (random.below(2) == 0) {
        for (std::size_t k = 0; k < length; ++k)
          bytes[place + k] = static_cast<char>(random.next64());
      } else {
        bytes.replace(place, length, good.substr(random.below(good.size() - length), length));
      }
    }
    write_bytes(folder / "j", bytes);
    core::NoProgress silent;
    (void)verify_journal(folder / "j", silent, {});
    auto journal = Journal::open(folder / "j", OpenMode::write, {});
    if (!journal.ok()) continue;
    (void)content_of(*journal);
    (void)journal->append(MadeGroup(MadeStream(1), 24, 3, 2).rows(), {});
    Retention few;
    few.embeddings = 5;
    (void)journal->compact(few);
  }
}

TEST(JournalDamage, ALogOfAnythingIsSurvived) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  const std::string good = bytes_of(folder / "j");
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    core::Random random(seed);
    std::string log(random.below(40'000), '\0');
    for (char& c : log) c = static_cast<char>(random.next64());
    write_bytes(folder / "j", good);
    write_bytes(folder / "j-wal", log);
    auto journal = Journal::open(folder / "j", OpenMode::write, {});
    ASSERT_TRUE(journal.ok()) << journal.error().message;
    EXPECT_EQ(journal->tail().value().samples, 24U);
  }
}

TEST(JournalDamage, ACopyThatSqliteMadeIsAJournal) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  run_sql(folder / "j", "VACUUM INTO '" + (folder / "copy") + "'");
  auto journal = Journal::open(folder / "copy", OpenMode::write, {});
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  ASSERT_TRUE(journal->append(MadeGroup(MadeStream(1), 24, 3, 2).rows(), {}).ok());
  EXPECT_FALSE(Journal::open(folder / "copy", OpenMode::write, {}).ok());
  EXPECT_TRUE(holds_prefix(*journal, MadeStream(1), 27));
}

}  // namespace
}  // namespace paco::journal
