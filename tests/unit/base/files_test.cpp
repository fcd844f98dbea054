#include "base/files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "temporary_folder.hpp"

namespace paco {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

std::string text_of(const std::string& path) {
  const auto bytes = read_file(path);
  if (!bytes.ok()) return "(" + bytes.error().message + ")";
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Files, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  const std::string text(700'000, 'x');  // more than the write buffer
  ASSERT_TRUE(write_file(folder / "a", text + "end").ok());
  EXPECT_EQ(text_of(folder / "a"), text + "end");
  EXPECT_EQ(file_size(folder / "a").value(), text.size() + 3);
}

TEST(Files, ReadRefusesWhatIsLargerThanTheLimit) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "12345").ok());
  EXPECT_TRUE(read_file(folder / "a", 5).ok());
  const auto result = read_file(folder / "a", 4);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::unsupported);
}

TEST(Files, ReadsFilesWhoseSizeTheSystemDoesNotTell) {
  const auto bytes = read_file("/proc/self/status");
  ASSERT_TRUE(bytes.ok());
  EXPECT_GT(bytes->size(), 100U);
}

TEST(Files, ErrorsNameThePathAndWhatToDo) {
  const TemporaryFolder folder;
  const auto absent = read_file(folder / "absent");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::not_found);
  EXPECT_THAT(absent.error().message, HasSubstr(folder / "absent"));
  EXPECT_THAT(absent.error().hint, Not(IsEmpty()));

  for (const Error& error :
       {read_file(folder.path()).error(), MappedFile::open(folder.path()).error(),
        InputStream::open(folder.path()).error(), write_file(folder.path(), "x").error()}) {
    EXPECT_THAT(error.message, HasSubstr("Is a directory"));
  }
}

TEST(Files, AMappedFileShowsItsBytesAndSurvivesMoves) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "abc").ok());
  auto opened = MappedFile::open(folder / "a");
  ASSERT_TRUE(opened.ok());
  MappedFile file = std::move(opened).value();
  MappedFile other = std::move(file);
  file = std::move(other);
  EXPECT_EQ(std::memcmp(file.bytes().data(), "abc", 3), 0);
  EXPECT_EQ(file.bytes().size(), 3U);
}

TEST(Files, ReleasedPagesAreReadAgainFromTheFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", std::string(100'000, 'q')).ok());
  const auto file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file.ok());
  file->release(0, 100'000);
  file->release(50'000, std::size_t(-1));
  file->release(200'000, 5);
  EXPECT_EQ(std::to_integer<char>(file->bytes()[70'000]), 'q');
}

TEST(Files, AnEmptyFileMapsToNothing) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "").ok());
  const auto file = MappedFile::open(folder / "a");
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(file->bytes(), IsEmpty());
}

TEST(Files, AStreamGivesFewerBytesOnlyAtItsEnd) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "abcdefg").ok());
  auto stream = InputStream::open(folder / "a");
  ASSERT_TRUE(stream.ok());
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(stream->read(buffer).value(), 4U);
  EXPECT_EQ(stream->read(buffer).value(), 3U);
  EXPECT_EQ(stream->read(buffer).value(), 0U);
}

TEST(Files, AFolderIsListedInByteOrder) {
  const TemporaryFolder folder;
  for (const char* name : {"b", "a", "B", "10", "9", ".hidden"}) {
    ASSERT_TRUE(write_file(folder / name, "").ok());
  }
  EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre(".hidden", "10", "9", "B", "a", "b"));
}

TEST(Files, FoldersAreMadeWithTheirParents) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folder(folder / "a/b//c/").ok());
  EXPECT_EQ(path_kind(folder / "a/b/c"), PathKind::folder);
  ASSERT_TRUE(make_folder(folder / "a/b/c").ok());
  ASSERT_TRUE(write_file(folder / "plain", "").ok());
  const auto result = make_folder(folder / "plain/x");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr(folder / "plain"));
}

TEST(Files, PathKindsAreToldApart) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "").ok());
  EXPECT_EQ(path_kind(folder / "a"), PathKind::file);
  EXPECT_EQ(path_kind(folder.path()), PathKind::folder);
  EXPECT_EQ(path_kind("/dev/null"), PathKind::other);
  ASSERT_TRUE(remove_file(folder / "a").ok());
  EXPECT_EQ(path_kind(folder / "a"), PathKind::absent);
  EXPECT_EQ(remove_file(folder / "a").error().code, ErrorCode::not_found);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndNothingElse) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "old").ok());
  {
    auto file = AtomicFile::create(folder / "a");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("new").ok());
    AtomicFile moved = std::move(file).value();
  }
  EXPECT_EQ(text_of(folder / "a"), "old");
  EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre("a"));
}

TEST(AtomicFile, EarlierBytesCanBeOverwritten) {
  const TemporaryFolder folder;
  auto file = AtomicFile::create(folder / "a");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write("....body").ok());
  ASSERT_TRUE(file->write_at(0, bytes_of("head")).ok());
  ASSERT_TRUE(file->write("tail").ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(text_of(folder / "a"), "headbodytail");
}

TEST(AtomicFile, KeepsPermissionsAndFollowsLinks) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "old").ok());
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("a", (folder / "link").c_str()), 0);
  ASSERT_TRUE(write_file(folder / "link", "new").ok());
  EXPECT_EQ(text_of(folder / "a"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  struct stat status {};
  ASSERT_EQ(::stat((folder / "a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST(AtomicFile, WritesIntoADeviceInsteadOfReplacingIt) {
  ASSERT_TRUE(write_file("/dev/null", "gone").ok());
  EXPECT_EQ(path_kind("/dev/null"), PathKind::other);
}

TEST(AtomicFile, AFullDiskIsReported) {
  if (path_kind("/dev/full") == PathKind::absent) GTEST_SKIP() << "/dev/full is not there";
  const auto result = write_file("/dev/full", "x");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::io);
  EXPECT_THAT(result.error().message, HasSubstr("No space left"));
  EXPECT_THAT(result.error().hint, HasSubstr("space"));
}

// The sweep: whichever operation fails, a reader finds the whole old file or the whole new one,
// never a mixture, no temporary file stays, and the caller is told.
TEST(AtomicFile, WhicheverOperationFailsNothingIsLostAndNothingStays) {
  const TemporaryFolder folder;
  const std::string old_text = "old";
  const std::string new_text(600'000, 'n');
  bool failed = true;
  std::uint64_t n = 1;
  for (; failed; ++n) {
    ASSERT_TRUE(write_file(folder / "a", old_text).ok());
    Result<void> result;
    {
      const FailNthOperation fault(n);
      result = write_file(folder / "a", new_text);
      failed = fault.happened();
    }
    EXPECT_EQ(result.ok(), !failed) << "operation " << n;
    const std::string found = text_of(folder / "a");
    EXPECT_TRUE(found == old_text || found == new_text) << "operation " << n;
    if (!failed) {
      EXPECT_EQ(found, new_text);
    }
    EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre("a")) << "operation " << n;
  }
  EXPECT_GT(n, 6U);  // open, write, fsync, close, open folder, rename, fsync of the folder
}

TEST(Files, WhicheverReadOperationFailsTheCallerIsTold) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "text").ok());
  const auto sweep = [&](auto action) {
    for (std::uint64_t n = 1; n < 100; ++n) {
      const FailNthOperation fault(n);
      const bool ok = action();
      EXPECT_EQ(ok, !fault.happened()) << "operation " << n;
      if (!fault.happened()) return;
    }
    FAIL() << "the action never ends without a failure";
  };
  sweep([&] { return read_file(folder / "a").ok(); });
  sweep([&] { return MappedFile::open(folder / "a").ok(); });
  sweep([&] { return list_folder(folder.path()).ok(); });
  sweep([&] { return make_folder(folder / "x/y").ok(); });
  sweep([&] { return file_size(folder / "a").ok(); });
}

}  // namespace
}  // namespace paco
