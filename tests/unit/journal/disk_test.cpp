// How a journal's bytes reach the disk: gathered on the way without anybody seeing a difference,
// and carried into the file by another thread than the writer's.
#include "journal/disk.hpp"

#include <sqlite3.h>

#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using namespace paco::testing;
using journal::DiskOperation;

// Counts writes by file and thread; syncs need not reach the disk.
class WriteCounter : public NoSync {
 public:
  journal::DiskAnswer before(const journal::DiskStep& step) override {
    if (step.operation == DiskOperation::write) {
      const std::lock_guard lock(mutex_);
      ++counts_[step.path.ends_with("-wal")][std::this_thread::get_id()];
    }
    return NoSync::before(step);
  }
  std::size_t count(bool log, std::thread::id thread) {
    const std::lock_guard lock(mutex_);
    return counts_[log][thread];
  }
  std::size_t count(bool log) {
    const std::lock_guard lock(mutex_);
    std::size_t sum = 0;
    for (const auto& [thread, count] : counts_[log]) sum += count;
    return sum;
  }

 private:
  std::mutex mutex_;
  std::map<bool, std::map<std::thread::id, std::size_t>> counts_;
};

// A file of SQLite's kind, opened as a write-ahead log.
class LogFile {
 public:
  explicit LogFile(std::string path)
      : path_(std::move(path) + std::string(2, '\0')),  // SQLite ends names with two zeros
        vfs_(sqlite3_vfs_find(journal::disk_name())),
        memory_(static_cast<std::size_t>(vfs_->szOsFile) / sizeof(std::max_align_t) + 1) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_WAL;
    EXPECT_EQ(vfs_->xOpen(vfs_, path_.c_str(), file(), flags, &flags), SQLITE_OK);
  }
  ~LogFile() { close(); }
  void close() {
    if (file()->pMethods != nullptr) file()->pMethods->xClose(file());
    file()->pMethods = nullptr;
  }
  int write(std::span<const std::byte> bytes, std::size_t offset) {
    return file()->pMethods->xWrite(file(), bytes.data(), static_cast<int>(bytes.size()),
                                    static_cast<sqlite3_int64>(offset));
  }
  std::vector<std::byte> read(std::size_t size, std::size_t offset) {
    std::vector<std::byte> bytes(size);
    file()->pMethods->xRead(file(), bytes.data(), static_cast<int>(size),
                            static_cast<sqlite3_int64>(offset));
    return bytes;
  }
  int truncate(std::size_t size) {
    return file()->pMethods->xTruncate(file(), static_cast<sqlite3_int64>(size));
  }
  std::size_t size() {
    sqlite3_int64 size = 0;
    file()->pMethods->xFileSize(file(), &size);
    return static_cast<std::size_t>(size);
  }

 private:
  sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(memory_.data()); }

  std::string path_;
  sqlite3_vfs* vfs_;
  std::vector<std::max_align_t> memory_;
};

// The header of a page in a log, and the page.
std::vector<std::byte> made_header(bool commits, std::uint64_t seed) {
  auto header = synthetic_bytes(24, seed);
  std::fill(header.begin() + 4, header.begin() + 8, std::byte{0});
  if (commits) header[7] = std::byte{9};
  return header;
}

TEST(GatheredLog, AnotherReaderSeesEveryCommittedPageAndTheFileEndsAsWritten) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a").put('x');  // a log has the permissions of its file
  LogFile writer(folder / "a-wal"), reader(folder / "a-wal");
  std::vector<std::byte> expected;
  const auto put = [&](const std::vector<std::byte>& bytes, std::size_t offset) {
    ASSERT_EQ(writer.write(bytes, offset), SQLITE_OK);
    if (expected.size() < offset + bytes.size()) expected.resize(offset + bytes.size());
    std::copy(bytes.begin(), bytes.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  core::Random random(3);
  std::size_t end = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    if (random.below(40) == 0) {  // the log starts anew
      put(synthetic_bytes(32, round), 0);
      end = 32;
    }
    const std::size_t pages = 1 + random.below(40);
    const std::size_t start = end;
    for (std::size_t page = 0; page < pages; ++page) {
      put(made_header(page + 1 == pages, round * 100 + page), end);
      put(synthetic_bytes(8192, round * 100 + page), end + 24);
      end += 8192 + 24;
      const std::uint64_t choice = random.below(30);
      if (choice == 0) {  // the writer reads what it wrote
        const std::size_t from = random.below(end);
        const auto bytes = writer.read(end - from, from);
        ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(),
                               expected.begin() + static_cast<std::ptrdiff_t>(from)));
      } else if (choice == 1 && page + 1 < pages) {  // a transaction is given up
        end = start;
      } else if (choice == 2) {
        ASSERT_EQ(writer.size(), expected.size());
      }
    }
    // Checksums put right afterwards, the committing header last.
    if (random.below(5) == 0) put(made_header(true, round), end - 8192 - 24);
    if (end == start) continue;
    const auto seen = reader.read(end - start, start);
    ASSERT_TRUE(
        std::equal(seen.begin(), seen.end(), expected.begin() + static_cast<std::ptrdiff_t>(start)))
        << "round " << round;
  }
  expected.resize(expected.size() / 2);
  ASSERT_EQ(writer.truncate(expected.size()), SQLITE_OK);
  writer.close();
  EXPECT_EQ(reader.read(expected.size(), 0), expected);
  EXPECT_EQ(reader.size(), expected.size());
}

TEST(GatheredLog, AGroupTakesFarFewerWritesThanItHasPages) {
  const TemporaryFolder folder;
  WriteCounter counter;
  const std::size_t dimension = 512;
  const MadeStream stream(5, dimension);
  auto journal = Journal::create(folder / "a.journal", made_settings(dimension), {}, {});
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  const std::size_t before = counter.count(true);
  const MadeGroup group(stream, 0, 256);
  ASSERT_TRUE(journal->append(group.rows(), {}).ok());
  const std::size_t least_pages = 256 * dimension * sizeof(double) / 8192;
  EXPECT_LE(counter.count(true) - before, least_pages / 5);
  EXPECT_TRUE(holds_prefix(*journal, stream, 256));
}

TEST(Checkpointer, AnotherThreadThanTheWritersCarriesTheLogIntoTheFile) {
  const TemporaryFolder folder;
  WriteCounter counter;
  const std::size_t dimension = 8192, group_size = 64;
  const MadeStream stream(6, dimension);
  auto journal = Journal::create(folder / "a.journal", made_settings(dimension), {}, {});
  ASSERT_TRUE(journal.ok()) << journal.error().message;
  const auto mine = std::this_thread::get_id();
  const std::size_t before = counter.count(false, mine);
  // Three times what starts a round, so that one has ended before the last group.
  MadeGroup group(stream, 0, group_size);
  std::uint64_t sample = 0;
  for (std::size_t bytes = 0; bytes < std::size_t{192} << 20;) {
    for (SampleRow& row : group.rows()) {
      row.event = row.sequence = sample++;
      row.key.reset();
    }
    ASSERT_TRUE(journal->append(group.rows(), {}).ok());
    bytes += group_size * dimension * sizeof(float);
  }
  const std::size_t by_me = counter.count(false, mine) - before;
  EXPECT_GT(counter.count(false) - counter.count(false, mine), by_me);
  ASSERT_TRUE(journal->close().ok());
  auto again = Journal::open(folder / "a.journal", OpenMode::read, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->tail()->samples, sample);
}

}  // namespace
}  // namespace paco::journal
