// Disks that fail or are full, programs that end in the middle, power cuts: what was acknowledged
// is there afterwards, whole groups only, and the journal can be continued.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <map>
#include <mutex>

#include "core/files.hpp"
#include "damaged_file.hpp"
#include "journal/faulty_disk.hpp"
#include "synthetic_journal.hpp"
#include "temporary_folder.hpp"

namespace paco::journal {
namespace {

using ::testing::HasSubstr;
using namespace testing;
using journal::DiskAnswer;
using journal::DiskOperation;
using journal::DiskStep;
using journal::DiskWatch;

constexpr std::size_t kGroup = 5;

bool changes_disk(const DiskStep& step) {
  return step.operation != DiskOperation::open && step.operation != DiskOperation::read;
}

// Gives this answer to the n-th step that changes the disk, or to that one and all later ones,
// until repaired.
class NthStep final : public NoSync {
 public:
  NthStep(std::int64_t n, DiskAnswer answer, bool lasting)
      : left_(n), answer_(answer), lasting_(lasting) {}
  DiskAnswer before(const DiskStep& step) override {
    if (!changes_disk(step) || repaired_) return NoSync::before(step);
    const std::int64_t left = left_.fetch_sub(1);
    return left == 1 || (lasting_ && left < 1) ? answer_ : NoSync::before(step);
  }
  bool happened() const { return left_ < 1; }
  void repair() { repaired_ = true; }

 private:
  std::atomic<std::int64_t> left_;
  std::atomic<bool> repaired_{false};
  DiskAnswer answer_;
  bool lasting_;
};

// Groups, an operation, a snapshot and a checkpoint; stops at the first error.
Result<void> write_some(Journal& journal, const MadeStream& stream, std::uint64_t& acknowledged) {
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::uint64_t from = acknowledged;
    auto result = journal.append(MadeGroup(stream, from, kGroup).rows(), {});
    if (!result.ok()) return result;
    acknowledged += kGroup;
    if (i == 1) {
      result = journal.save_snapshot(acknowledged, acknowledged, "d", synthetic_bytes(20'000, i));
      if (!result.ok()) return result;
    }
    if (i == 2) {
      result = journal.checkpoint();
      if (!result.ok()) return result;
    }
  }
  return journal.flush();
}

void expect_whole(const std::string& path, const MadeStream& stream, std::uint64_t samples,
                  const std::string& what) {
  core::NoProgress silent;
  const auto report = verify_journal(path, silent, {});
  ASSERT_TRUE(report.ok()) << what << ": " << report.error().message;
  EXPECT_TRUE(report->ok) << what << ": " << report->problem;
  auto journal = Journal::open(path, OpenMode::read, kFull);
  ASSERT_TRUE(journal.ok()) << what << ": " << journal.error().message;
  EXPECT_TRUE(holds_prefix(*journal, stream, samples)) << what;
}

void fail_at_every_step(const Durability& durability, DiskAnswer answer, bool lasting) {
  const MadeStream stream(1);
  for (std::int64_t n = 1;; ++n) {
    const std::string what = "step " + std::to_string(n);
    const TemporaryFolder folder;
    auto journal =
        Journal::create(folder / "j", made_settings(), synthetic_bytes(100, 1), {}, durability);
    ASSERT_TRUE(journal.ok());
    std::uint64_t acknowledged = 0;
    NthStep fault(n, answer, lasting);
    const auto result = write_some(*journal, stream, acknowledged);
    const bool happened = fault.happened();
    fault.repair();
    if (!result.ok()) {
      EXPECT_EQ(result.error().code, ErrorCode::io) << what << ": " << result.error().message;
      EXPECT_THAT(result.error().message, HasSubstr(folder / "j"));
    }
    // There is room again: the stream goes on where it stood.
    const auto again = write_some(*journal, stream, acknowledged);
    ASSERT_TRUE(again.ok()) << what << ": " << again.error().message;
    EXPECT_TRUE(holds_prefix(*journal, stream, acknowledged)) << what;
    ASSERT_TRUE(journal->close().ok());
    expect_whole(folder / "j", stream, acknowledged, what);
    if (!happened) break;
  }
}

TEST(JournalFault, AFailingStepFailsTheCallAndNothingElse) {
  fail_at_every_step(kFull, DiskAnswer::fail, false);
}
TEST(JournalFault, AFullDiskStopsTheStreamAndRoomLetsItGoOn) {
  fail_at_every_step(kFull, DiskAnswer::full, true);
}
TEST(JournalFault, RelaxedTooLosesNothingToADiskThatFails) {
  fail_at_every_step(kRelaxed, DiskAnswer::fail, false);
}
TEST(JournalFault, RelaxedTooLosesNothingToADiskThatIsFullForAWhile) {
  fail_at_every_step(kRelaxed, DiskAnswer::full, true);
}

TEST(JournalFault, AFullDiskIsCalledSo) {
  { const NoSync first; }  // the journal below is opened through the layer that can fail
  const TemporaryFolder folder;
  const MadeStream stream(1);
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, kFull);
  ASSERT_TRUE(journal.ok());
  const NthStep fault(1, DiskAnswer::full, true);
  const auto result = journal->append(MadeGroup(stream, 0, 3).rows(), {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("No space left on device"));
  EXPECT_THAT(result.error().hint, HasSubstr("free some space"));
}

TEST(JournalFault, MakingOneLeavesNoHalfOfIt) {
  const NoSync counted;  // SQLite's operations count for FailNthOperation too
  const std::vector<CategoryRow> known = {made_category(0, {0}), made_category(1, {1, 2})};
  for (std::uint64_t n = 1;; ++n) {
    const TemporaryFolder folder;
    bool happened = false;
    {
      const core::FailNthOperation fault(n);
      const auto made =
          Journal::create(folder / "j", made_settings(), synthetic_bytes(100, 1), known, kFull);
      happened = fault.happened();
      EXPECT_TRUE(made.ok() || happened) << made.error().message;
      EXPECT_TRUE(made.ok() || made.error().code == ErrorCode::io) << made.error().message;
    }
    if (core::path_kind(folder / "j") != core::PathKind::absent) {
      expect_whole(folder / "j", MadeStream(1), 0, "operation " + std::to_string(n));
      EXPECT_EQ(JournalReader::open(folder / "j")->categories().value(), known) << n;
    }
    const auto names = core::list_folder(folder.path());
    ASSERT_TRUE(names.ok());
    EXPECT_THAT(*names, ::testing::Each("j"));
    if (!happened) break;
  }
}

// Counts the syncs of a log, and makes them fail.
class LogSyncs final : public DiskWatch {
 public:
  LogSyncs() { journal::watch_disk(this); }
  ~LogSyncs() override { journal::watch_disk(nullptr); }
  DiskAnswer before(const DiskStep& step) override {
    if (step.operation != DiskOperation::sync || !step.path.ends_with("-wal"))
      return step.operation == DiskOperation::sync ? DiskAnswer::pretend : DiskAnswer::proceed;
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
    return fails_ ? DiskAnswer::fail : DiskAnswer::pretend;
  }
  void fail(bool fails) {
    const std::lock_guard lock(mutex_);
    fails_ = fails;
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void wait_for_more_than(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ > count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_ = 0;
  bool fails_ = false;
};

TEST(JournalFault, RelaxedSyncsByItselfAndTheNextCallReportsASyncThatFailed) {
  const TemporaryFolder folder;
  const MadeStream stream(1);
  LogSyncs syncs;
  auto journal = Journal::create(folder / "j", made_settings(), {}, {}, kRelaxed);
  ASSERT_TRUE(journal.ok());
  const std::size_t before = syncs.count();
  ASSERT_TRUE(journal->append(MadeGroup(stream, 0, 5).rows(), {}).ok());
  syncs.wait_for_more_than(before);

  syncs.fail(true);
  ASSERT_FALSE(journal->append(MadeGroup(stream, 5, 5).rows(), {}).ok() && journal->flush().ok());
  const auto refused = journal->append(MadeGroup(stream, 10, 5).rows(), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::io);
  syncs.fail(false);
  ASSERT_TRUE(journal->append(MadeGroup(stream, 10, 5).rows(), {}).ok());
  ASSERT_TRUE(journal->flush().ok());
  EXPECT_TRUE(holds_prefix(*journal, stream, 15));
}

// The child appends groups and says so after each; the step that ends it is its n-th.
std::uint64_t run_until_killed(const std::string& path, const Durability& durability,
                               std::int64_t n, DiskAnswer answer, bool& ended_by_itself) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const NthStep fault(n, answer, false);
    auto journal = Journal::open(path, OpenMode::write, durability);
    if (!journal.ok()) ::_exit(3);
    const MadeStream stream(1);
    std::uint64_t next = journal->tail().value().samples;
    for (int i = 0; i < 6; ++i) {
      if (!journal->append(MadeGroup(stream, next, kGroup).rows(), {}).ok()) ::_exit(4);
      next += kGroup;
      if (::write(ends[1], &next, sizeof next) != sizeof next) ::_exit(5);
      if (i == 3 && !journal->checkpoint().ok()) ::_exit(6);
    }
    if (!journal->close().ok()) ::_exit(7);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::uint64_t acknowledged = 0, next = 0;
  while (::read(ends[0], &next, sizeof next) == sizeof next) acknowledged = next;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ended_by_itself = WIFEXITED(status);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0)
      << "child ended with " << WEXITSTATUS(status) << " at step " << n;
  return acknowledged;
}

void kill_at_every_step(const Durability& durability, DiskAnswer answer) {
  const MadeStream stream(1);
  for (std::int64_t n = 1;; n += durability.full ? 1 : 3) {
    const TemporaryFolder folder;
    ASSERT_TRUE(
        Journal::create(folder / "j", made_settings(), synthetic_bytes(100, 1), {}, kFull).ok());
    bool ended_by_itself = false;
    const std::uint64_t acknowledged =
        run_until_killed(folder / "j", durability, n, answer, ended_by_itself);
    const NoSync fast;
    auto journal = Journal::open(folder / "j", OpenMode::write, kFull);
    ASSERT_TRUE(journal.ok()) << "step " << n << ": " << journal.error().message;
    const std::uint64_t samples = journal->tail().value().samples;
    EXPECT_EQ(samples % kGroup, 0U) << "step " << n;
    if (durability.full) {
      EXPECT_GE(samples, acknowledged) << "step " << n;
    }
    EXPECT_LE(samples, acknowledged + kGroup) << "step " << n;
    EXPECT_TRUE(holds_prefix(*journal, stream, samples)) << "step " << n;
    ASSERT_TRUE(journal->append(MadeGroup(stream, samples, kGroup).rows(), {}).ok());
    ASSERT_TRUE(journal->close().ok());
    expect_whole(folder / "j", stream, samples + kGroup, "step " + std::to_string(n));
    if (ended_by_itself) break;
  }
}

TEST(JournalCrash, KilledBeforeAnyStepItOpensAtWhatWasAcknowledged) {
  kill_at_every_step(kFull, DiskAnswer::kill);
}
TEST(JournalCrash, KilledInTheMiddleOfAWriteItOpensAtWhatWasAcknowledged) {
  kill_at_every_step(kFull, DiskAnswer::tear);
}
TEST(JournalCrash, RelaxedOpensAtAPrefix) { kill_at_every_step(kRelaxed, DiskAnswer::tear); }

TEST(JournalCrash, TheLockDiesWithItsHolder) {
  const TemporaryFolder folder;
  ASSERT_TRUE(Journal::create(folder / "j", made_settings(), {}, {}, kFull).ok());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto journal = Journal::open(folder / "j", OpenMode::write, kFull);
    const char answer = journal.ok() ? 'y' : 'n';
    (void)!::write(ends[1], &answer, 1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ends[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  const auto refused = Journal::open(folder / "j", OpenMode::write, kFull);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("another program is writing"));
  EXPECT_TRUE(Journal::open(folder / "j", OpenMode::read, kFull).ok());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_TRUE(Journal::open(folder / "j", OpenMode::write, kFull).ok());
}

// Records what happens on the disk, to make up the files as a power cut would have left them: what
// was synced is there, of the rest any part may be, torn at any sector.
class Recorder final : public NoSync {
 public:
  struct Step {
    DiskOperation operation;
    std::string path;
    std::uint64_t offset;
    std::string bytes;
  };
  DiskAnswer before(const DiskStep& step) override {
    if (changes_disk(step)) {
      steps.push_back({step.operation,
                       std::string(step.path),
                       step.offset,
                       {reinterpret_cast<const char*>(step.bytes.data()), step.bytes.size()}});
    }
    return NoSync::before(step);
  }
  std::vector<Step> steps;
};

void apply_step(const Recorder::Step& step, std::string& file) {
  if (step.operation == DiskOperation::truncate) file.resize(step.offset);
  if (step.operation != DiskOperation::write) return;
  if (file.size() < step.offset + step.bytes.size()) file.resize(step.offset + step.bytes.size());
  file.replace(step.offset, step.bytes.size(), step.bytes);
}

// The files after a cut before step `cut`.
std::map<std::string, std::string> after_power_cut(const std::vector<Recorder::Step>& steps,
                                                   std::size_t cut,
                                                   std::map<std::string, std::string> files,
                                                   core::Random& random) {
  constexpr std::size_t kSector = 512;
  std::map<std::string, std::size_t> last_sync;
  for (std::size_t i = 0; i < cut; ++i) {
    if (steps[i].operation == DiskOperation::sync) last_sync[steps[i].path] = i;
  }
  const std::uint64_t kept_of_8 = random.below(9);
  for (std::size_t i = 0; i < cut; ++i) {
    const Recorder::Step& step = steps[i];
    std::string& file = files[step.path];
    if (step.operation == DiskOperation::remove) {
      files.erase(step.path);
    } else if (last_sync.contains(step.path) && i < last_sync[step.path]) {
      apply_step(step, file);
    } else if (step.operation == DiskOperation::write && random.below(8) < kept_of_8) {
      Recorder::Step part = step;
      if (random.below(4) == 0) {
        const std::size_t sectors = step.bytes.size() / kSector;
        part.bytes.resize(std::min(step.bytes.size(), random.below(sectors + 1) * kSector));
      }
      apply_step(part, file);
    } else if (step.operation == DiskOperation::truncate && random.below(2) == 0) {
      apply_step(step, file);
    }
  }
  return files;
}

TEST(JournalCrash, APowerCutLosesNothingAcknowledged) {
  const MadeStream stream(1);
  const TemporaryFolder folder;
  std::map<std::string, std::string> start;
  std::vector<std::size_t> acknowledged_at = {0};  // steps made when group i was acknowledged
  std::vector<Recorder::Step> steps;
  ASSERT_TRUE(
      Journal::create(folder / "j", made_settings(), synthetic_bytes(100, 1), {}, kFull).ok());
  start[folder / "j"] = bytes_of(folder / "j");
  {
    Recorder recorder;
    auto journal = Journal::open(folder / "j", OpenMode::write, kFull);
    ASSERT_TRUE(journal.ok());
    for (std::uint64_t i = 0; i < 12; ++i) {
      ASSERT_TRUE(journal->append(MadeGroup(stream, i * kGroup, kGroup).rows(), {}).ok());
      acknowledged_at.push_back(recorder.steps.size());
      if (i % 4 != 3) continue;
      ASSERT_TRUE(journal->checkpoint().ok());
    }
    ASSERT_TRUE(journal->close().ok());
    steps = recorder.steps;
  }
  const NoSync fast;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    core::Random random(seed);
    const std::size_t cut = random.below(steps.size() + 1);
    const auto files = after_power_cut(steps, cut, start, random);
    const TemporaryFolder other;
    for (const auto& [path, bytes] : files)
      write_bytes(other / path.substr(path.rfind('/') + 1), bytes);
    const std::string what = "seed " + std::to_string(seed) + ", cut " + std::to_string(cut);
    auto journal = Journal::open(other / "j", OpenMode::write, kFull);
    ASSERT_TRUE(journal.ok()) << what << ": " << journal.error().message;
    const std::uint64_t samples = journal->tail().value().samples;
    const auto groups = static_cast<std::uint64_t>(
        std::upper_bound(acknowledged_at.begin(), acknowledged_at.end(), cut) -
        acknowledged_at.begin() - 1);
    EXPECT_EQ(samples % kGroup, 0U) << what;
    EXPECT_GE(samples, groups * kGroup) << what;
    EXPECT_LE(samples, (groups + 1) * kGroup) << what;
    EXPECT_TRUE(holds_prefix(*journal, stream, samples)) << what;
  }
}

}  // namespace
}  // namespace paco::journal
