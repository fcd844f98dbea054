#include "journal/checkpointer.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "journal/schema.hpp"

namespace paco::journal {
namespace {

// 64 MiB: a page that changes often is carried once, and the last one to close is soon done.
constexpr int kRoundPages = (64 << 20) / kPageBytes;
// What the writer may be made to wait for.
constexpr int kRestPages = kRoundPages / 16;

// How many pages of the log are in the file afterwards; 0 where it failed.
int carry(Database& database) {
  int in_log = 0, carried = 0;
  const int status = sqlite3_wal_checkpoint_v2(database.handle(), "main", SQLITE_CHECKPOINT_PASSIVE,
                                               &in_log, &carried);
  return status == SQLITE_OK ? carried : 0;
}

// SQLite syncs the file only where nothing is left in the log. What was carried is sent to the disk
// here, so that the writer, who carries the rest, waits for the rest alone. That it fails is
// noticed there.
void sync(Database& database) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (file != nullptr && file->pMethods != nullptr)
    (void)file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

}  // namespace

void Checkpointer::committed(int pages, Database& writer) {
  if (pages < kRoundPages) {
    next_ = kRoundPages;
    return;
  }
  std::unique_lock lock(mutex_);
  if (requested_) return;
  const bool round_ended = std::exchange(finished_, false);
  const int rest = pages - carried_;
  lock.unlock();
  if (round_ended && rest > kRestPages && carried_ > carried_before_) {
    carried_before_ = carried_;  // the stream is fast: another round for what it brought meanwhile
    request();
    return;
  }
  if (!(round_ended && rest <= kRestPages) && pages < next_) return;
  // Should a reader hold the log, it grows; the next try is not at once.
  next_ = pages + kRoundPages / 4;
  carried_before_ = 0;
  if (round_ended || !can_start_) {
    carry(writer);
  } else {
    request();
  }
}

void Checkpointer::request() {
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error&) {
      can_start_ = false;
      return;
    }
  }
  const std::lock_guard lock(mutex_);
  requested_ = true;
  wake_.notify_one();
}

void Checkpointer::serve() {
  auto database = Database::open(path_, Database::Mode::write);
  // A connection learns that there is a log when it first reads; without, it carries nothing.
  const bool can_carry = database.ok() && database->number("PRAGMA schema_version").ok();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ending_ || requested_; });
    if (ending_) return;
    lock.unlock();
    const int carried = can_carry ? carry(*database) : 0;
    if (carried > 0) sync(*database);
    lock.lock();
    carried_ = carried;
    finished_ = true;
    requested_ = false;
  }
}

void Checkpointer::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
  ending_ = requested_ = finished_ = false;
}

}  // namespace paco::journal
