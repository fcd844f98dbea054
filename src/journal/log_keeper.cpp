#include "journal/log_keeper.hpp"

#include <fmt/format.h>

#include <system_error>

#include "core/try.hpp"
#include "journal/schema.hpp"

namespace paco::journal {
namespace {

// Number of pages from which on the log is moved into the file. A page that changes often is then
// moved only once.
constexpr int kLongPages = (16 << 20) / kPageBytes;
// Number of pages at which the writer waits until they are moved.
constexpr int kMostPages = 2 * kLongPages;

}  // namespace

Result<std::unique_ptr<LogKeeper>> LogKeeper::start(
    Writer& writer, std::optional<std::chrono::milliseconds> between_syncs) {
  const std::string& path = writer.database().path();
  PACO_ASSIGN(Database database, Database::open(path, Database::Mode::write));
  std::unique_ptr<LogKeeper> started(new LogKeeper(writer, std::move(database), between_syncs));
  started->long_from_ = kLongPages;
  try {
    started->thread_ = std::thread([self = started.get()] { self->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::io,
                 fmt::format("{}: cannot start a thread for its log: {}", path, error.what()),
                 "the system allows no more threads or memory: see 'ulimit -u' and 'ulimit -v'"};
  }
  return started;
}

LogKeeper::~LogKeeper() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void LogKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    wake_.wait(lock, [&] { return is_ending_ || is_awake_; });
    const bool syncs = is_dirty_ && !has_failed_;
    wake_.wait_for(lock, syncs ? *between_syncs_ : kQuiet,
                   [&] { return is_ending_ || is_log_long(); });
    if (is_ending_) break;
    if (is_log_long()) shorten(lock);
    if (is_dirty_ && !has_failed_) {
      static_cast<void>(sync());
    } else if (!is_dirty_ && std::chrono::steady_clock::now() - last_write_ >= kQuiet) {
      // The reason for a failure (a full disk, a reader) does not matter: the log stays and the
      // move is retried.
      if (writer_.settle()) {
        is_awake_ = false;
        long_from_ = kLongPages;
      }
    }
  }
  if (is_dirty_) static_cast<void>(sync());
}

// Moves most of the log while the writer continues, then the few newer pages while the writer
// waits: the log can start over only when all its pages are moved.
void LogKeeper::shorten(std::unique_lock<std::mutex>& lock) {
  is_shortening_ = true;
  lock.unlock();
  sqlite3_wal_checkpoint_v2(database_.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr,
                            nullptr);
  wants_turn_ = true;
  lock.lock();
  wants_turn_ = false;
  const int left = writer_.move_log();
  // If a reader holds on to the log, the log keeps growing.
  long_from_ = left + kLongPages;
  is_shortening_ = false;
  turn_.notify_all();
}

void LogKeeper::wait_for_turn(std::unique_lock<std::mutex>& lock) {
  turn_.wait(lock, [&] {
    if (wants_turn_) return false;
    return !is_shortening_ || writer_.log_pages() < long_from_ - kLongPages + kMostPages;
  });
}

Result<void> LogKeeper::flush() {
  const std::lock_guard lock(mutex_);
  return is_dirty_ ? sync() : Result<void>{};
}

Result<void> LogKeeper::sync() {
  auto synced = writer_.sync();
  has_failed_ = !synced.ok();
  is_dirty_ = has_failed_;
  return synced;
}

}  // namespace paco::journal
