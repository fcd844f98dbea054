// Files are read, mapped and replaced as promised, also where any one operation of the disk fails.
#include "core/files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "temporary_folder.hpp"

namespace paco::core {
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
       {read_file(folder.path()).error(), RandomFile::open(folder.path()).error(),
        InputStream::open(folder.path()).error(), write_file(folder.path(), "x").error()}) {
    EXPECT_THAT(error.message, HasSubstr("Is a directory"));
  }
}

TEST(Files, AFileIsReadAtAnyPlaceAndSurvivesMoves) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "abcdef").ok());
  auto opened = RandomFile::open(folder / "a");
  ASSERT_TRUE(opened.ok());
  RandomFile file = std::move(opened).value();
  RandomFile other = std::move(file);
  file = std::move(other);
  std::array<std::byte, 3> three{};
  ASSERT_TRUE(file.read_at(2, three).ok());
  EXPECT_EQ(std::memcmp(three.data(), "cde", 3), 0);
  EXPECT_EQ(file.size(), 6U);
  EXPECT_TRUE(file.read_at(6, {}).ok());
}

TEST(Files, AFileThatShrinksWhileItIsReadIsAnError) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", std::string(100'000, 'q')).ok());
  const auto file = RandomFile::open(folder / "a");
  ASSERT_TRUE(file.ok());
  std::filesystem::resize_file(folder / "a", 1000);
  std::array<std::byte, 100> some{};
  EXPECT_TRUE(file->read_at(900, some).ok());
  const auto lost = file->read_at(70'000, some);
  ASSERT_FALSE(lost.ok());
  EXPECT_THAT(lost.error().message, HasSubstr("became shorter"));
}

TEST(Files, AStreamSaysWhetherItWouldWait) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto stream = InputStream::open("/proc/self/fd/" + std::to_string(ends[0]));
  ASSERT_TRUE(stream.ok());
  EXPECT_FALSE(stream->is_file());
  EXPECT_FALSE(stream->ready());
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  EXPECT_TRUE(stream->ready());
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(stream->read_some(buffer).value(), 1U);
  EXPECT_FALSE(stream->ready());
  ::close(ends[1]);
  EXPECT_TRUE(stream->ready()) << "the end is an answer too";
  ::close(ends[0]);
}

TEST(Files, AFileIsTheSameByEveryPath) {
  const TemporaryFolder folder;
  ASSERT_TRUE(make_folder(folder / "a").ok());
  std::filesystem::create_directory_symlink(folder / "a", folder / "b");
  const auto a = file_identity(folder / "a"), b = file_identity(folder / "b"),
             up = file_identity(folder / "a/..");
  ASSERT_TRUE(a.ok() && b.ok() && up.ok());
  EXPECT_TRUE(!(*a < *b) && !(*b < *a));
  EXPECT_TRUE(*a < *up || *up < *a);
  EXPECT_TRUE(b->is_link && !a->is_link);
  EXPECT_FALSE(file_identity(folder / "c").ok());
}

TEST(Files, EveryNameThatTheSystemAllowsCanBeWritten) {
  const TemporaryFolder folder;
  for (const std::size_t length : {1, 200, 235, 236, 254, 255}) {
    const std::string path = folder / std::string(length, 'n');
    EXPECT_TRUE(write_file(path, "x").ok()) << length;
    EXPECT_TRUE(write_file(path, "y").ok()) << length;
  }
  EXPECT_FALSE(write_file(folder / std::string(256, 'n'), "x").ok());
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

TEST(AtomicFile, WhatASignalHandlerRemovesIsEveryTemporaryAndNothingElse) {
  const TemporaryFolder folder;
  auto committed = AtomicFile::create(folder / "committed");
  auto first = AtomicFile::create(folder / "first"), second = AtomicFile::create(folder / "second");
  ASSERT_TRUE(committed.ok() && first.ok() && second.ok());
  ASSERT_TRUE(committed->commit().ok());
  remove_temporary_files();
  EXPECT_THAT(list_folder(folder.path()).value(), ElementsAre("committed"));
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
  sweep([&] {
    const auto file = RandomFile::open(folder / "a");
    std::byte first;
    return file.ok() && file->read_at(0, {&first, 1}).ok();
  });
  sweep([&] { return list_folder(folder.path()).ok(); });
  sweep([&] { return make_folder(folder / "x/y").ok(); });
  sweep([&] { return file_size(folder / "a").ok(); });
}

}  // namespace
}  // namespace paco::core
