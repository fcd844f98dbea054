// What samples bring along for people to see (attributes, pictures), journals of version 1 that
// have no place for it, and the copy and the second reader of a journal that is being written.
#include <gmock/gmock.h>

#include "journal/database.hpp"
#include "journal/journal.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using testing::holds_prefix;
using testing::made_settings;
using testing::MadeGroup;
using testing::MadeStream;
using testing::synthetic_bytes;
using testing::TemporaryFolder;

class Extras : public ::testing::Test {
 protected:
  Journal make() {
    auto made = Journal::create(path, made_settings(), synthetic_bytes(1000, 1), {});
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made).value();
  }
  Journal open(OpenMode mode) {
    auto opened = Journal::open(path, mode, {});
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    return std::move(opened).value();
  }
  // Two samples, of which the second brings something.
  void append(Journal& journal, std::uint64_t from) {
    MadeGroup group(stream, from, 2);
    group.rows()[1].attributes = R"({"camera":"north"})";
    group.rows()[1].picture = picture;
    const auto done = journal.append(group.rows(), {});
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  bool is_whole() {
    core::NoProgress silent;
    const auto report = verify_journal(path, silent, {});
    return report.ok() && report->ok;
  }
  void sql(const std::string& text) {
    auto database = journal::Database::open(path, journal::Database::Mode::write);
    ASSERT_TRUE(database.ok() && database->run(text).ok()) << text;
  }
  // As an earlier paco made it.
  void make_version_1() {
    Journal journal = make();
    ASSERT_TRUE(journal.append(MadeGroup(stream, 0, 3).rows(), {}).ok());
    ASSERT_TRUE(journal.close().ok());
    sql("DROP TABLE extras; PRAGMA user_version=1");
  }

  TemporaryFolder folder;
  std::string path = folder / "j";
  MadeStream stream{3};
  const std::string picture = std::string("\x89PNG\0\xff", 6);
};

TEST_F(Extras, ComeBackAsTheyWereGivenAlsoAfterOpeningAgain) {
  {
    Journal journal = make();
    append(journal, 0);
  }
  Journal journal = open(OpenMode::read);
  EXPECT_TRUE(journal.extras(0, true)->empty());
  EXPECT_TRUE(journal.extras(7, true)->empty());
  const auto without = journal.extras(1, false);
  EXPECT_TRUE(without->has_picture && without->picture.empty());
  const auto stored = journal.extras(1, true);
  EXPECT_EQ(stored->attributes, R"({"camera":"north"})");
  EXPECT_EQ(stored->picture, picture);
  EXPECT_TRUE(holds_prefix(journal, stream, 2));
  EXPECT_TRUE(is_whole());
}

TEST_F(Extras, DamageToThemIsFoundByVerify) {
  {
    Journal journal = make();
    append(journal, 0);
  }
  sql("UPDATE extras SET attributes = '{\"camera\":\"south\"}'");
  EXPECT_FALSE(is_whole());
}

TEST_F(Extras, AJournalOfVersionOneIsReadAsItIs) {
  make_version_1();
  Journal journal = open(OpenMode::read);
  EXPECT_TRUE(holds_prefix(journal, stream, 3));
  EXPECT_TRUE(journal.extras(0, true)->empty());
  EXPECT_TRUE(is_whole());
}

TEST_F(Extras, AJournalOfVersionOneTakesThemOnceItIsOpenedForWriting) {
  make_version_1();
  {
    Journal journal = open(OpenMode::write);
    append(journal, 3);
  }
  Journal journal = open(OpenMode::read);
  EXPECT_TRUE(holds_prefix(journal, stream, 5));
  EXPECT_EQ(journal.extras(4, true)->picture, picture);
  EXPECT_TRUE(is_whole());
}

TEST_F(Extras, ACopyOfAJournalThatIsBeingWrittenIsAJournalOfThatMoment) {
  Journal journal = make();
  append(journal, 0);
  auto beside = journal.beside();
  ASSERT_TRUE(beside.ok());
  const std::string copy = folder / "copy";
  const auto copied = beside->copy_to(copy);
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  append(journal, 2);
  EXPECT_TRUE(holds_prefix(*beside, stream, 4));
  auto taken = Journal::open(copy, OpenMode::write, {});
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_TRUE(holds_prefix(*taken, stream, 2));
  EXPECT_EQ(taken->extras(1, true)->picture, picture);
}

}  // namespace
}  // namespace paco::journal
