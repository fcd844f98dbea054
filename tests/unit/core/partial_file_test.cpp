// A result that grows for hours: the old file stays until the new one is whole, and what an earlier
// run wrote is gone on from.
#include "core/partial_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "core/files.hpp"
#include "temporary_folder.hpp"

namespace paco::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

std::string written_text(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes.ok()) return "(" + bytes.error().message + ")";
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

PartialFile made(Result<PartialFile> file) {
  EXPECT_TRUE(file.ok()) << file.error().message;
  return std::move(file).value();
}

TEST(PartialFile, TheOldFileStaysUntilTheNewOneIsWhole) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "old").ok());
  PartialFile file = made(PartialFile::create(folder / "a"));
  ASSERT_TRUE(file.write("new").ok());
  ASSERT_TRUE(file.sync().ok());
  EXPECT_EQ(written_text(folder / "a"), "old");
  EXPECT_EQ(written_text(folder / "a.part"), "new") << "anybody may look at it";
  EXPECT_EQ(file.size(), 3u);
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(written_text(folder / "a"), "new");
  EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre("a"));
}

TEST(PartialFile, WhatIsLeftUnfinishedIsKeptAndWhatIsDiscardedIsNot) {
  const TemporaryFolder folder;
  {
    PartialFile file = made(PartialFile::create(folder / "a"));
    ASSERT_TRUE(file.write("half").ok());
    const PartialFile moved = std::move(file);
  }
  EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre("a.part"));
  EXPECT_EQ(written_text(folder / "a.part"), "half");
  PartialFile file = made(PartialFile::create(folder / "a"));
  ASSERT_TRUE(file.write("x").ok());
  file.discard();
  EXPECT_TRUE(list_folder(folder.path())->empty());
}

TEST(PartialFile, GoesOnFromAnyLengthOfWhatAnEarlierRunLeft) {
  const std::string whole(600'000, 'q');  // more than the write buffer
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{599'999},
                                     static_cast<std::uint64_t>(whole.size())}) {
    for (const bool finished : {false, true}) {
      SCOPED_TRACE(std::to_string(length) + (finished ? ", finished" : ", unfinished"));
      const TemporaryFolder folder;
      {
        PartialFile first = made(PartialFile::create(folder / "a"));
        ASSERT_TRUE(first.write(whole).ok());
        if (finished) {
          ASSERT_TRUE(first.finish().ok());
        }
      }
      PartialFile second = made(PartialFile::resume(folder / "a", length));
      EXPECT_EQ(second.size(), length);
      ASSERT_TRUE(second.write("tail").ok());
      if (finished) {
        EXPECT_EQ(written_text(folder / "a"), whole)
            << "the finished file is not touched meanwhile";
      }
      ASSERT_TRUE(second.finish().ok());
      EXPECT_EQ(written_text(folder / "a"), whole.substr(0, length) + "tail");
      EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre("a"));
    }
  }
}

TEST(PartialFile, OfTwoCandidatesTheUnfinishedOneIsGoneOnFrom) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "an earlier result").ok());
  ASSERT_TRUE(write_file(folder / "a.part", "a later one").ok());
  PartialFile file = made(PartialFile::resume(folder / "a", 8));
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(written_text(folder / "a"), "a later ");
}

TEST(PartialFile, LengthsThatAreNotThereAreRefused) {
  const TemporaryFolder folder;
  const auto absent = PartialFile::resume(folder / "a", 3);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::mismatch);
  EXPECT_THAT(absent.error().message, HasSubstr(folder / "a"));
  ASSERT_TRUE(write_file(folder / "a", "12").ok());
  const auto shorter = PartialFile::resume(folder / "a", 3);
  ASSERT_FALSE(shorter.ok());
  EXPECT_THAT(shorter.error().message, HasSubstr("3 bytes"));
  EXPECT_EQ(written_text(folder / "a"), "12");
  EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre("a"));
}

TEST(PartialFile, EarlierBytesCanBeOverwritten) {
  const TemporaryFolder folder;
  PartialFile file = made(PartialFile::create(folder / "a"));
  ASSERT_TRUE(file.write("....body").ok());
  ASSERT_TRUE(file.write_at(0, "head").ok());
  ASSERT_TRUE(file.write("tail").ok());
  EXPECT_EQ(file.size(), 12u);
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(written_text(folder / "a"), "headbodytail");
}

TEST(PartialFile, KeepsPermissionsAndFollowsLinks) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "old").ok());
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("a", (folder / "link").c_str()), 0);
  PartialFile file = made(PartialFile::create(folder / "link"));
  ASSERT_TRUE(file.write("new").ok());
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(written_text(folder / "a"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  struct stat status {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
  file = made(PartialFile::resume(folder / "link", 1));
  ASSERT_TRUE(file.write("ext").ok());
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(written_text(folder / "a"), "next");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(PartialFile, GoesStraightIntoADeviceAndReportsAFullDisk) {
  PartialFile file = made(PartialFile::create("/dev/null"));
  ASSERT_TRUE(file.write("gone").ok());
  ASSERT_TRUE(file.finish().ok());
  EXPECT_EQ(path_kind("/dev/null"), PathKind::other);
  EXPECT_EQ(path_kind("/dev/null.part"), PathKind::absent);
  if (path_kind("/dev/full") == PathKind::absent) GTEST_SKIP() << "/dev/full is not there";
  PartialFile full = made(PartialFile::create("/dev/full"));
  const auto written = full.write(std::string(600'000, 'x'));
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("No space left"));
}

TEST(PartialFile, ASecondWriterIsRefusedUntilTheFirstHasEnded) {
  const TemporaryFolder folder;
  PartialFile first = made(PartialFile::create(folder / "a"));
  ASSERT_TRUE(first.write("first").ok());
  ASSERT_TRUE(first.sync().ok());
  EXPECT_FALSE(PartialFile::resume(folder / "a", 2).ok());
  EXPECT_THAT(PartialFile::create(folder / "a").error().message, HasSubstr("somebody else"));
  EXPECT_EQ(written_text(folder / "a.part"), "first");
  ASSERT_TRUE(first.finish().ok());
  PartialFile second = made(PartialFile::create(folder / "a"));
  ASSERT_TRUE(second.write("second").ok());
  ASSERT_TRUE(second.finish().ok());
  EXPECT_EQ(written_text(folder / "a"), "second");
}

TEST(PartialFile, AFolderIsNoFile) {
  const TemporaryFolder folder;
  const auto refused = PartialFile::create(folder.path());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("Is a directory"));
}

// Whichever operation fails, a reader finds the whole old file or the whole new one, the caller is
// told, and what was put on the disk before can be gone on from.
TEST(PartialFile, WhicheverOperationFailsNothingIsLost) {
  const std::string first(1'000, 'f'), more(600'000, 'm');
  bool failed = true;
  std::uint64_t n = 1;
  for (; failed; ++n) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file(folder / "a", "old").ok());
    Result<void> result;
    bool synced = false;
    {
      const FailNthOperation fault(n);
      const auto run = [&]() -> Result<void> {
        auto file = PartialFile::create(folder / "a");
        if (!file.ok()) return file.error();
        if (auto done = file->write(first); !done.ok()) return done;
        if (auto done = file->sync(); !done.ok()) return done;
        synced = true;
        if (auto done = file->write(more); !done.ok()) return done;
        if (auto done = file->write_at(0, "F"); !done.ok()) return done;
        return file->finish();
      };
      result = run();
      failed = fault.happened();
    }
    EXPECT_EQ(result.ok(), !failed) << "operation " << n;
    const std::string found = written_text(folder / "a");
    EXPECT_TRUE(found == "old" || found.size() == first.size() + more.size()) << "operation " << n;
    if (!failed) {
      EXPECT_NE(found, "old");
    }
    if (!synced || found != "old") continue;
    PartialFile again = made(PartialFile::resume(folder / "a", first.size()));
    ASSERT_TRUE(again.finish().ok());
    EXPECT_EQ(written_text(folder / "a").substr(1), first.substr(1)) << "operation " << n;
  }
  EXPECT_GT(n, 7U);  // open, write, sync, write, write over, sync, rename, open folder, its sync
}

TEST(PartialFile, WhicheverOperationFailsWhileGoingOnTheFinishedFileIsAsItWas) {
  bool failed = true;
  for (std::uint64_t n = 1; failed; ++n) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_file(folder / "a", "finished").ok());
    const FailNthOperation fault(n);
    const auto file = PartialFile::resume(folder / "a", 4);
    failed = fault.happened();
    EXPECT_EQ(file.ok(), !failed) << "operation " << n;
    std::error_code none;
    EXPECT_EQ(std::filesystem::file_size(folder / "a", none), 8u) << "operation " << n;
  }
}

}  // namespace
}  // namespace paco::core
