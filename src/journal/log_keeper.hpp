// Maintains the log of a journal on a separate thread:
//
// - relaxed durability: syncs at a fixed interval if anything was written. If a sync fails, the
// next call retries it and fails if the retry fails.
// - moves a long log into the file over its own connection while the writer continues.
// - moves the rest when nothing was written for a second, so that the file alone is then complete.
//
// Calls may come from any thread; only one thread uses the writer at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "journal/writer.hpp"

namespace paco::journal {

class LogKeeper {
 public:
  // How long a stream must be idle before the log is moved.
  static constexpr std::chrono::milliseconds kQuiet{1000};

  // Without `between_syncs`, every call of the writer syncs.
  static Result<std::unique_ptr<LogKeeper>> start(
      Writer& writer, std::optional<std::chrono::milliseconds> between_syncs);
  // Syncs a last time without reporting errors; call flush() first to get them.
  ~LogKeeper();

  // Calls work(writer) while nothing else uses it.
  template <class Work>
  Result<void> write(Work work) {
    std::unique_lock lock(mutex_);
    wait_for_turn(lock);
    if (has_failed_) {
      if (auto synced = sync(); !synced.ok()) return synced;
    }
    auto written = work(writer_);
    last_write_ = std::chrono::steady_clock::now();
    if (written.ok()) is_dirty_ = between_syncs_.has_value();
    if (!std::exchange(is_awake_, true) || is_log_long()) wake_.notify_one();
    return written;
  }
  Result<void> flush();

 private:
  LogKeeper(Writer& writer, Database database,
            std::optional<std::chrono::milliseconds> between_syncs)
      : writer_(writer), database_(std::move(database)), between_syncs_(between_syncs) {}
  void run();
  void shorten(std::unique_lock<std::mutex>& lock);
  void wait_for_turn(std::unique_lock<std::mutex>& lock);
  Result<void> sync();  // with the lock held
  bool is_log_long() const { return writer_.log_pages() >= long_from_; }

  Writer& writer_;
  Database database_;  // used only by thread_
  std::optional<std::chrono::milliseconds> between_syncs_;
  std::mutex mutex_;  // guards all below, and every use of the writer
  std::condition_variable wake_, turn_;
  std::chrono::steady_clock::time_point last_write_{};
  int long_from_ = 0;           // pages
  bool is_dirty_ = false;       // something was written since the last sync
  bool has_failed_ = false;     // the last sync failed
  bool is_awake_ = false;       // the log has pages to move
  bool is_shortening_ = false;  // the log is being moved while the writer goes on
  bool is_ending_ = false;
  std::atomic<bool> wants_turn_ = false;  // the thread waits for the writer
  std::thread thread_;
};

}  // namespace paco::journal
