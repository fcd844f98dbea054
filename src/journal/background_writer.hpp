// A writer in relaxed mode: takes events at once and writes them behind the caller's back, in
// order, many in one transaction, and syncs every so many milliseconds.
//
// What was taken and could not be written (a full disk) is kept and tried again at the next call,
// which fails as long as that does: nothing is lost while the process lives, and the stream stands
// still. The memory that waits is bounded; a caller that is faster than the disk waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>

#include "journal/batch.hpp"
#include "journal/writer.hpp"

namespace paco::journal {

class BackgroundWriter {
 public:
  static Result<std::unique_ptr<BackgroundWriter>> create(std::unique_ptr<Writer> writer,
                                                          std::chrono::milliseconds between_syncs);
  // Writes and syncs what is left, as far as the disk lets it: drain() before to know.
  ~BackgroundWriter();

  // Calls fill(batch), which adds one group of events to what waits.
  template <class Fill>
  Result<void> add(Fill fill) {
    std::unique_lock lock(mutex_);
    if (auto room = make_room(lock); !room.ok()) return room;
    const std::size_t known = waiting_.samples.size();
    const bool was_empty = waiting_.empty();
    const Batch::Mark mark = waiting_.mark();
    try {
      fill(waiting_);
      taken(known);
    } catch (...) {  // no memory: no half of a group stays
      waiting_.cut(mark);
      throw;
    }
    if (was_empty || waiting_.bytes() > kEagerBytes) wake_.notify_one();
    return {};
  }
  // Whether a sample with this key has been taken and is perhaps not yet in the file.
  bool is_waiting(std::string_view key);
  // Returns when all that was taken is in the file, where readers see it; with `sync`, and lasts.
  Result<void> drain(bool sync);
  // Calls work(writer) when all is written and nothing else is being written.
  template <class Work>
  Result<void> with_writer(Work work) {
    if (auto drained = drain(false); !drained.ok()) return drained;
    const std::lock_guard busy(writing_);
    return work(*writer_);
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  // With this much waiting nobody gathers any longer.
  static constexpr std::size_t kEagerBytes = std::size_t{1} << 20;

  BackgroundWriter(std::unique_ptr<Writer> writer, std::chrono::milliseconds between_syncs)
      : writer_(std::move(writer)), between_syncs_(between_syncs) {}
  Result<void> make_room(std::unique_lock<std::mutex>& lock);
  void taken(std::size_t known_samples);
  Result<void> settle(std::unique_lock<std::mutex>& lock, bool sync);
  void serve();
  void gather(std::unique_lock<std::mutex>& lock);
  void write(std::unique_lock<std::mutex>& lock);
  void sync(std::unique_lock<std::mutex>& lock);
  void conclude(const Result<void>& result);

  std::unique_ptr<Writer> writer_;
  std::chrono::milliseconds between_syncs_;
  std::mutex writing_;  // held around every use of writer_
  Batch batch_;         // in the hands of the thread

  std::mutex mutex_;                 // guards all below
  std::condition_variable wake_;     // for the thread
  std::condition_variable changed_;  // for callers
  Batch waiting_;
  std::unordered_set<std::string> waiting_keys_, batch_keys_;
  // Groups so far: taken from callers, in the file, and sure to last.
  std::uint64_t taken_ = 0, sent_ = 0, written_ = 0, synced_ = 0;
  std::uint64_t failures_ = 0;
  std::optional<Error> failed_;  // the last attempt
  bool again_ = false;           // a caller asks for another
  bool hurry_ = false;           // a caller waits: no gathering
  bool want_sync_ = false;
  bool ending_ = false;
  Time next_sync_;
  std::thread thread_;
};

}  // namespace paco::journal
