// What happens to the log behind the writer's back: it is moved into the file when it is long and
// when the stream is quiet, and readers that hold on to it cannot make it grow for ever.
#include "journal/log_keeper.hpp"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <condition_variable>
#include <mutex>

#include "damaged_file.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::HasSubstr;
using namespace testing;

// Waits for syncs of a file; none reaches the disk.
class SyncsOf final : public DiskWatch {
 public:
  explicit SyncsOf(std::string path) : path_(std::move(path)) { watch_disk(this); }
  ~SyncsOf() override { watch_disk(nullptr); }
  SyncsOf(const SyncsOf&) = delete;
  SyncsOf& operator=(const SyncsOf&) = delete;
  DiskAnswer before(const DiskStep& step) override {
    if (step.operation != DiskOperation::sync) return DiskAnswer::proceed;
    const std::lock_guard lock(mutex_);
    if (step.path == path_) ++count_;
    changed_.notify_all();
    return DiskAnswer::pretend;
  }
  void wait_for_one_more() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&, before = count_] { return count_ > before; });
  }

 private:
  std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
};

TEST(LogKeeper, AQuietStreamIsWholeInItsOneFile) {
  for (const Durability& durability : {kFull, kRelaxed}) {
    const TemporaryFolder folder, copy;
    const MadeStream stream(1);
    SyncsOf file(folder / "j");
    auto journal = Journal::create(folder / "j", made_settings(), {}, {}, durability);
    ASSERT_TRUE(journal.ok());
    for (std::uint64_t round = 1; round <= 2; ++round) {
      ASSERT_TRUE(journal->append(MadeGroup(stream, round * 5 - 5, 5).rows(), {}).ok());
      file.wait_for_one_more();  // SQLite syncs the file when the pages are in it
      write_bytes(copy / "j", bytes_of(folder / "j"));
      auto copied = Journal::open(copy / "j", OpenMode::read, kFull);
      ASSERT_TRUE(copied.ok()) << copied.error().message;
      EXPECT_TRUE(holds_prefix(*copied, stream, round * 5));
    }
  }
}

TEST(LogKeeper, AReaderThatIsForgottenStopsTheStreamInWordsAndNotForEver) {
  const TemporaryFolder folder;
  const NoSync fast;
  Durability durability = kFull;
  durability.most_log_bytes = 20'000'000;
  const std::size_t dimension = 4096;
  auto journal = Journal::create(folder / "j", made_settings(dimension), {}, {}, durability);
  ASSERT_TRUE(journal.ok());
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "j").c_str(), &reader), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(reader, "BEGIN; SELECT * FROM samples", nullptr, nullptr, nullptr),
            SQLITE_OK);
  MadeGroup group(MadeStream(6, dimension), 0, 64);
  std::uint64_t sample = 0;
  const auto append = [&] {
    std::uint64_t next = sample;
    for (SampleRow& row : group.rows()) {
      row.event = row.sequence = next++;
      row.key.clear();
    }
    auto appended = journal->append(group.rows(), {});
    if (appended.ok()) sample = next;
    return appended;
  };
  Result<void> appended;
  for (int i = 0; i < 60 && appended.ok(); ++i) appended = append();  // 2 MB each
  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().code, ErrorCode::io);
  EXPECT_THAT(appended.error().message, HasSubstr("another program has been reading"));
  EXPECT_LT(journal->info().value().log_bytes, 30'000'000U);
  sqlite3_close(reader);
  for (int i = 0; i < 20; ++i) {
    const auto again = append();
    ASSERT_TRUE(again.ok()) << again.error().message;
  }
  EXPECT_EQ(journal->tail().value().samples, sample);
}

}  // namespace
}  // namespace paco::journal
