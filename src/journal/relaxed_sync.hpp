// Relaxed durability: a thread that syncs a writer every so many milliseconds, if it wrote
// anything. A sync that fails is tried again by the next call, which fails if that does.
//
// Calls may come from any thread; the writer is used by one at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "journal/writer.hpp"

namespace paco::journal {

class RelaxedSync {
 public:
  static Result<std::unique_ptr<RelaxedSync>> start(Writer& writer,
                                                    std::chrono::milliseconds between_syncs);
  // Syncs a last time; flush() before to know whether that succeeds.
  ~RelaxedSync();

  // Calls work(writer) while no sync is in progress.
  template <class Work>
  Result<void> write(Work work) {
    const std::lock_guard lock(mutex_);
    if (has_failed_) {
      if (auto synced = sync(); !synced.ok()) return synced;
    }
    auto written = work(writer_);
    if (!written.ok()) return written;
    if (!std::exchange(is_dirty_, true)) wake_.notify_one();
    return {};
  }
  Result<void> flush();

 private:
  RelaxedSync(Writer& writer, std::chrono::milliseconds between_syncs)
      : writer_(writer), between_syncs_(between_syncs) {}
  void run();
  Result<void> sync();  // with the lock held

  Writer& writer_;
  std::chrono::milliseconds between_syncs_;
  std::mutex mutex_;  // guards all below, and every use of the writer
  std::condition_variable wake_;
  bool is_dirty_ = false;  // something was written since the last sync
  bool has_failed_ = false;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace paco::journal
