// Where a journal lies: links to it, second names, renaming while it is written, long paths.
#include <gmock/gmock.h>

#include <filesystem>

#include "core/files.hpp"
#include "damaged_file.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::HasSubstr;
using namespace testing;
namespace fs = std::filesystem;

void expect_prefix(const std::string& path, const MadeStream& stream, std::uint64_t samples) {
  auto journal = Journal::open(path, OpenMode::read, kFull);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  EXPECT_TRUE(holds_prefix(*journal, stream, samples));
}

TEST(JournalPlace, ALinkLeadsToTheOneJournal) {
  const TemporaryFolder folder;
  const MadeStream stream(1);
  ASSERT_TRUE(core::make_folder(folder / "far").ok());
  ASSERT_TRUE(Journal::create(folder / "far/j", made_settings(), {}, {}, kFull).ok());
  fs::create_symlink("far/j", folder / "link");
  auto journal = Journal::open(folder / "link", OpenMode::write, kFull);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  ASSERT_TRUE(journal->append(MadeGroup(stream, 0, 5).rows(), {}).ok());
  EXPECT_NE(core::file_size(folder / "far/j-wal").value(), 0U);
  EXPECT_FALSE(Journal::open(folder / "far/j", OpenMode::write, kFull).ok());
  expect_prefix(folder / "link", stream, 5);
  core::NoProgress silent;
  EXPECT_EQ(verify_journal(folder / "link", silent, {}).value().samples, 5U);
}

TEST(JournalPlace, ASecondNameIsRefused) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  fs::create_hard_link(folder / "j", folder / "second");
  for (const char* name : {"j", "second"}) {
    for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
      const auto refused = Journal::open(folder / name, mode, kFull);
      ASSERT_FALSE(refused.ok());
      EXPECT_THAT(refused.error().message, HasSubstr("has 2 names (hard links)"));
    }
  }
  fs::remove(folder / "j");
  EXPECT_TRUE(Journal::open(folder / "second", OpenMode::write, kFull).ok());
}

TEST(JournalPlace, RenamedWhileItIsWrittenItAcknowledgesNothingMoreAndLosesNothing) {
  const TemporaryFolder folder;
  const MadeStream stream(1);
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, kFull);
  ASSERT_TRUE(journal.ok());
  ASSERT_TRUE(journal->append(MadeGroup(stream, 0, 5).rows(), {}).ok());
  fs::rename(folder / "j", folder / "k");
  const auto refused = journal->append(MadeGroup(stream, 5, 5).rows(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::io);
  EXPECT_THAT(refused.error().message, HasSubstr("was renamed"));
  const TemporaryFolder elsewhere;  // as it would be there after a kill
  write_bytes(elsewhere / "k", bytes_of(folder / "k"));
  expect_prefix(elsewhere / "k", stream, 5);
  fs::rename(folder / "k", folder / "j");
  ASSERT_TRUE(journal->append(MadeGroup(stream, 5, 5).rows(), {}).ok());
  ASSERT_TRUE(journal->close().ok());
  expect_prefix(folder / "j", stream, 10);
}

// The files of a journal whose writer was killed after five events; the file alone is moved.
void move_and_kill(const TemporaryFolder& from, const std::string& to, Durability durability) {
  const TemporaryFolder alive;
  auto journal = Journal::create(alive / "j", made_settings(), {}, {}, durability);
  ASSERT_TRUE(journal.ok());
  ASSERT_TRUE(journal->append(MadeGroup(MadeStream(1), 0, 5).rows(), {}).ok());
  ASSERT_TRUE(journal->flush().ok());
  write_bytes(to, bytes_of(alive / "j"));
  for (const char* ending : {"-wal", "-tail"})
    write_bytes((from / "j") + ending, bytes_of((alive / "j") + ending));
}

void expect_without_log(const std::string& path) {
  for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
    const auto refused = Journal::open(path, mode, kFull);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message,
                HasSubstr("it has 0 events, and more may be in its log, which is missing"));
    EXPECT_THAT(refused.error().hint, HasSubstr("as '" + path + "-wal'"));
  }
  core::NoProgress silent;
  EXPECT_FALSE(verify_journal(path, silent, {})->ok);
}

TEST(JournalPlace, MovedWithoutItsLogAndKilledItIsRefusedUntilTheLogIsThere) {
  for (const Durability& durability : {kFull, kRelaxed}) {
    const TemporaryFolder before, after;
    move_and_kill(before, after / "k", durability);
    expect_without_log(after / "k");
    fs::rename(before / "j-wal", after / "k-wal");
    fs::rename(before / "j-tail", after / "k-tail");
    expect_prefix(after / "k", MadeStream(1), 5);
  }
}

TEST(JournalPlace, ALogThatIsLostForGoodIsGivenUpByAPerson) {
  const TemporaryFolder before, after;
  move_and_kill(before, after / "k", kFull);
  expect_without_log(after / "k");
  const auto accepted = accept_loss(after / "k");
  ASSERT_TRUE(accepted.ok()) << accepted.error().message;
  EXPECT_EQ(accepted->events, 0U);
  expect_prefix(after / "k", MadeStream(1), 0);
  auto journal = Journal::open(after / "k", OpenMode::write, kFull);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  EXPECT_TRUE(journal->append(MadeGroup(MadeStream(1), 0, 5).rows(), {}).ok());
}

TEST(JournalPlace, ADamagedEventIsNotGivenUp) {
  const TemporaryFolder folder;
  {
    auto journal = Journal::create(folder / "j", made_settings(), {}, {}, kFull);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->append(MadeGroup(MadeStream(1), 0, 5).rows(), {}).ok());
    ASSERT_TRUE(journal->close().ok());
  }
  std::string bytes = bytes_of(folder / "j");
  for (std::size_t at = bytes.find("key 2"); at != std::string::npos; at = bytes.find("key 2", at))
    bytes[at] = 'K';
  write_bytes(folder / "j", bytes);
  const auto refused = accept_loss(folder / "j");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("damaged"));
}

TEST(JournalPlace, ACopyThatAnotherToolMadeOfALiveJournalIsWhole) {
  const TemporaryFolder folder;
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, kFull);
  ASSERT_TRUE(journal.ok());
  ASSERT_TRUE(journal->append(MadeGroup(MadeStream(1), 0, 5).rows(), {}).ok());
  {
    auto tool = Database::open(folder / "j", Database::Mode::write);
    ASSERT_TRUE(tool.ok() && tool->run("VACUUM INTO '" + (folder / "copy") + "'").ok());
  }
  expect_prefix(folder / "copy", MadeStream(1), 5);
  ASSERT_TRUE(Journal::open(folder / "copy", OpenMode::write, kFull).ok());
  expect_prefix(folder / "copy", MadeStream(1), 5);
}

TEST(JournalPlace, ALongPathIsRefusedInWords) {
  const TemporaryFolder folder;
  std::string path = folder.path();
  while (path.size() < 520) path += "/" + std::string(60, 'x');
  ASSERT_TRUE(core::make_folder(path).ok());
  path += "/j";
  const auto made = Journal::create(path, made_settings(), {}, {}, kFull);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("characters, and SQLite takes 500"));
  make_full_journal(folder / "j");
  write_bytes(path, bytes_of(folder / "j"));
  const auto opened = Journal::open(path, OpenMode::read, kFull);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, HasSubstr("characters, and SQLite takes 500"));
}

}  // namespace
}  // namespace paco::journal
