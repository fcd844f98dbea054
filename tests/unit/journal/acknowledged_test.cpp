// The record of what was acknowledged: a log that lost acknowledged events is told apart from one
// whose last group was never answered.
#include "journal/acknowledged.hpp"

#include <gmock/gmock.h>

#include "core/files.hpp"
#include "damaged_file.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;

constexpr std::size_t kEach = 5;

// The files of a journal whose writer was killed after `groups` groups.
struct Killed {
  std::string file, log, record;
};

Killed killed_after(std::size_t groups, Durability durability = kFull) {
  const TemporaryFolder folder;
  const MadeStream stream(1);
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, durability);
  EXPECT_TRUE(journal.ok());
  for (std::size_t i = 0; i < groups; ++i)
    EXPECT_TRUE(journal->append(MadeGroup(stream, i * kEach, kEach).rows(), {}).ok());
  EXPECT_TRUE(journal->flush().ok());
  return {bytes_of(folder / "j"), bytes_of(folder / "j-wal"), bytes_of(folder / "j-tail")};
}

void put(const TemporaryFolder& folder, const Killed& files) {
  write_bytes(folder / "j", files.file);
  write_bytes(folder / "j-wal", files.log);
  write_bytes(folder / "j-tail", files.record);
}

// What opening and verifying say; empty if both are content.
std::string problem_of(const std::string& path) {
  core::NoProgress silent;
  const auto report = verify_journal(path, silent, {});
  if (!report.ok()) return report.error().message;
  for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
    const auto opened = Journal::open(path, mode, {});
    EXPECT_EQ(opened.ok(), report->ok) << report->problem;
    if (!opened.ok()) {
      EXPECT_EQ(opened.error().message, report->problem);
      EXPECT_FALSE(opened.error().hint.empty());
    }
  }
  return report->problem;
}

TEST(Acknowledged, OneFlippedBitOfTheLogIsFoundAndNothingIsTakenForTheEnd) {
  const Killed whole = killed_after(12);
  for (std::size_t place = 40; place < whole.log.size(); place += whole.log.size() / 40) {
    const TemporaryFolder folder;
    Killed damaged = whole;
    damaged.log[place] = static_cast<char>(damaged.log[place] ^ 4);
    put(folder, damaged);
    EXPECT_THAT(problem_of(folder / "j"), HasSubstr("60 events were acknowledged and "))
        << "byte " << place;
    // A person decides to go on without them.
    ASSERT_TRUE(accept_loss(folder / "j").ok());
    EXPECT_EQ(problem_of(folder / "j"), "");
  }
}

TEST(Acknowledged, ALogThatIsLostIsMissed) {
  for (const Durability& durability : {kFull, kRelaxed}) {
    const TemporaryFolder folder;
    put(folder, killed_after(3, durability));
    ASSERT_TRUE(core::remove_file(folder / "j-wal").ok());
    EXPECT_THAT(problem_of(folder / "j"), HasSubstr("15 events were acknowledged and 0 are there"));
  }
}

TEST(Acknowledged, AGroupThatNobodyWasToldOfMayBeTorn) {
  const Killed before = killed_after(3);
  Killed torn = killed_after(4);
  torn.record = before.record;
  torn.log.resize(torn.log.size() - 3);
  const TemporaryFolder folder;
  put(folder, torn);
  EXPECT_EQ(problem_of(folder / "j"), "");
  auto journal = JournalReader::open(folder / "j");
  EXPECT_TRUE(holds_prefix(*journal, MadeStream(1), 3 * kEach));
}

TEST(Acknowledged, ATornWriteOfTheRecordLeavesTheOneBefore) {
  const Killed whole = killed_after(4);
  for (const std::size_t slot : {std::size_t{0}, std::size_t{512}}) {
    const TemporaryFolder folder;
    Killed torn = whole;
    torn.record[slot + 17] ^= 1;
    put(folder, torn);
    EXPECT_EQ(problem_of(folder / "j"), "");
    torn.log.clear();
    put(folder, torn);
    EXPECT_THAT(problem_of(folder / "j"), HasSubstr("events were acknowledged and 0 are there"));
  }
  const TemporaryFolder folder;
  Killed lost = whole;
  lost.record = std::string(1024, 'x');
  put(folder, lost);
  EXPECT_THAT(problem_of(folder / "j"), HasSubstr("record of what was acknowledged is damaged"));
}

TEST(Acknowledged, AnotherHistoryInTheSamePlaceIsFound) {
  const TemporaryFolder folder;
  const MadeStream other(2);
  const Killed first = killed_after(3);
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, kFull);
  ASSERT_TRUE(journal.ok());
  ASSERT_TRUE(journal->append(MadeGroup(other, 0, 20).rows(), {}).ok());
  ASSERT_TRUE(journal->close().ok());
  write_bytes(folder / "j-tail", first.record);
  EXPECT_THAT(problem_of(folder / "j"), HasSubstr("event 14 is another one than was acknowledged"));
}

TEST(Acknowledged, TheRecordOfAnotherJournalOfTheSameNameIsReplaced) {
  const TemporaryFolder folder;
  write_bytes(folder / "j-tail", killed_after(3).record);
  JournalSettings settings = made_settings();
  settings.created += 1;
  auto journal = Journal::create(folder / "j", settings, {}, {}, kFull);
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  ASSERT_TRUE(journal->append(MadeGroup(MadeStream(2), 0, 2).rows(), {}).ok());
  const auto record = read_acknowledged(folder / "j");
  ASSERT_TRUE(record.ok() && record->has_value());
  EXPECT_EQ((*record)->events, 2U);
  ASSERT_TRUE(journal->close().ok());
  EXPECT_THAT(core::list_folder(folder.path()).value(), ElementsAre("j"));
}

}  // namespace
}  // namespace paco::journal
