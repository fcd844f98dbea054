// What samples bring along for people to see (attributes, pictures), and the copy of a journal that
// is being written.
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
    auto made = Journal::create(path, made_settings(), synthetic_bytes(1000, 1), {}, {});
    EXPECT_TRUE(made.ok()) << made.error().message;
    return std::move(made).value();
  }
  JournalReader open() {
    auto opened = JournalReader::open(path);
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
  JournalReader journal = open();
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

TEST_F(Extras, WhenSamplesCameIsKnownToTheSecond) {
  {
    Journal journal = make();
    MadeGroup first(stream, 0, 2), second(stream, 2, 1), third(stream, 3, 1);
    ASSERT_TRUE(journal.append(first.rows(), {}, nullptr, 1000).ok());
    ASSERT_TRUE(journal.append(second.rows(), {}, nullptr, 1000).ok());
    ASSERT_TRUE(journal.append(third.rows(), {}, nullptr, 1007).ok());
  }
  JournalReader journal = open();
  EXPECT_EQ(*journal.arrival(0), 1000);
  EXPECT_EQ(*journal.arrival(2), 1000);
  EXPECT_EQ(*journal.arrival(3), 1007);
  EXPECT_EQ(*journal.first_since(1000), 0u);
  EXPECT_EQ(*journal.first_since(1001), 3u);
  EXPECT_EQ(*journal.first_since(1008), std::nullopt);
  EXPECT_TRUE(is_whole());
  sql("UPDATE arrivals SET time = 900");
  EXPECT_FALSE(journal.arrival(0).ok());
  EXPECT_FALSE(is_whole());
}

TEST_F(Extras, PicturesOfKnownClassesAreKeptFromTheBeginning) {
  const std::vector<SupportPicture> pictures = {{0, 0, picture}, {0, 1, "b"}, {2, 0, "c"}};
  ASSERT_TRUE(
      Journal::create(path, made_settings(), synthetic_bytes(1000, 1), {}, {}, pictures).ok());
  JournalReader journal = open();
  EXPECT_EQ(*journal.support_pictures(0), 2u);
  EXPECT_EQ(*journal.support_pictures(1), 0u);
  EXPECT_EQ(*journal.support_picture(0, 0), picture);
  EXPECT_EQ(*journal.support_picture(2, 0), "c");
  EXPECT_EQ(*journal.support_picture(2, 1), "");
  EXPECT_TRUE(is_whole());
  sql("UPDATE support_pictures SET picture = x'00' WHERE category = 2");
  EXPECT_FALSE(journal.support_picture(2, 0).ok());
  EXPECT_FALSE(is_whole());
}

TEST_F(Extras, ACopyOfAJournalThatIsBeingWrittenIsAJournalOfThatMoment) {
  Journal journal = make();
  append(journal, 0);
  auto reader = journal.another_reader();
  ASSERT_TRUE(reader.ok());
  const std::string copy = folder / "copy";
  const auto copied = reader->copy_to(copy);
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  append(journal, 2);
  EXPECT_TRUE(holds_prefix(*reader, stream, 4));
  auto taken = Journal::open(copy, OpenMode::write, {});
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_TRUE(holds_prefix(*taken, stream, 2));
  EXPECT_EQ(taken->extras(1, true)->picture, picture);
}

}  // namespace
}  // namespace paco::journal
