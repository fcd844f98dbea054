// JournalReader: what the server, exports and tools see of a stream, also while it grows.
#include "journal/reader.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "core/files.hpp"
#include "damaged_file.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace testing;

TEST(JournalReader, ReadsRangesAndKeysOfAStreamThatGrows) {
  const TemporaryFolder folder;
  const MadeStream stream(1);
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, kFull);
  ASSERT_TRUE(journal.ok());
  auto reader = JournalReader::open(folder / "j");
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_TRUE(reader->samples(0, 10)->empty());
  ASSERT_TRUE(journal->append(MadeGroup(stream, 0, 20).rows(), {}).ok());
  ASSERT_TRUE(journal->append(made_operation(20, 20), {}, {}).ok());
  ASSERT_TRUE(journal->append(MadeGroup(stream, 20, 5, 1).rows(), {}).ok());

  const auto page = reader->samples(18, 4);
  ASSERT_EQ(page->size(), 4U);
  EXPECT_TRUE(is_sample((*page)[3], MadeGroup(stream, 21, 1, 1).rows()[0]));
  EXPECT_EQ(reader->samples(23, 100)->size(), 2U);
  EXPECT_TRUE(reader->samples(25, 100)->empty());
  EXPECT_EQ(reader->find_key("key 24").value()->sequence, 24U);
  EXPECT_EQ(reader->events(19, 3)->size(), 3U);
  EXPECT_EQ(std::get<journal::OperationRow>((*reader->events(19, 3))[1]), made_operation(20, 20));
  EXPECT_EQ(reader->tail()->events, 26U);
}

TEST(JournalReader, AnotherThreadUsesAnotherReader) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  auto reader = JournalReader::open(folder / "j");
  ASSERT_TRUE(reader.ok());
  auto other = reader->another_reader();
  ASSERT_TRUE(other.ok());
  const std::string expected = content_of(*reader);
  std::string found;
  std::thread thread([&] { found = content_of(*other); });
  EXPECT_EQ(content_of(*reader), expected);
  thread.join();
  EXPECT_EQ(found, expected);
}

TEST(JournalReader, LeavesTheFileAsItIs) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  const std::string before = bytes_of(folder / "j");
  {
    auto reader = JournalReader::open(folder / "j");
    ASSERT_TRUE(reader.ok());
    (void)content_of(*reader);
  }
  EXPECT_TRUE(bytes_of(folder / "j") == before);
  EXPECT_THAT(core::list_folder(folder.path()).value(), ElementsAre("j"));
}

TEST(JournalReader, AJournalThatIsOpenForReadingRefusesToWrite) {
  const TemporaryFolder folder;
  make_full_journal(folder / "j");
  auto journal = Journal::open(folder / "j", OpenMode::read, {});
  ASSERT_TRUE(journal.ok());
  const auto refused = journal->append(MadeGroup(MadeStream(1), 24, 1, 2).rows(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("open for reading"));
}

}  // namespace
}  // namespace paco::journal
