#include "journal/background_writer.hpp"

#include <fmt/format.h>

#include <new>
#include <system_error>

#include "core/try.hpp"

namespace paco::journal {
namespace {

// Groups are gathered for this long before they are written, so that single samples share a
// transaction and wake nobody.
constexpr std::chrono::milliseconds kGather{5};
// What may wait before the caller does.
constexpr std::size_t kMostBytes = std::size_t{1} << 26;

}  // namespace

Result<std::unique_ptr<BackgroundWriter>> BackgroundWriter::create(
    std::unique_ptr<Writer> writer, std::chrono::milliseconds between_syncs) {
  std::unique_ptr<BackgroundWriter> background(
      new BackgroundWriter(std::move(writer), between_syncs));
  try {
    background->thread_ = std::thread([mine = background.get()] { mine->serve(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::io,
                 fmt::format("cannot start a thread to write with: {}", error.what()),
                 "use full durability, which needs none"};
  }
  return background;
}

BackgroundWriter::~BackgroundWriter() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Result<void> BackgroundWriter::make_room(std::unique_lock<std::mutex>& lock) {
  if (failed_) PACO_TRY(settle(lock, false));
  if (waiting_.bytes() > kMostBytes) {
    hurry_ = true;
    changed_.wait(lock, [&] { return waiting_.bytes() <= kMostBytes || failed_; });
    if (failed_) return *failed_;
  }
  return {};
}

void BackgroundWriter::taken(std::size_t known_samples) {
  for (std::size_t i = known_samples; i < waiting_.samples.size(); ++i) {
    if (const auto key = waiting_.key(waiting_.samples[i])) waiting_keys_.emplace(*key);
  }
  ++taken_;
}

bool BackgroundWriter::is_waiting(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const std::string text(key);
  return waiting_keys_.contains(text) || batch_keys_.contains(text);
}

Result<void> BackgroundWriter::drain(bool sync) {
  std::unique_lock lock(mutex_);
  return settle(lock, sync);
}

// Waits until what has been taken by now is written (and synced), or an attempt has failed.
Result<void> BackgroundWriter::settle(std::unique_lock<std::mutex>& lock, bool sync) {
  const std::uint64_t target = taken_, before = failures_;
  const auto settled = [&] { return (sync ? synced_ : written_) >= target && !failed_; };
  if (settled()) return {};
  again_ = hurry_ = true;
  want_sync_ |= sync;
  wake_.notify_one();
  changed_.wait(lock, [&] { return settled() || (failed_ && failures_ != before); });
  if (failed_) return *failed_;
  return {};
}

void BackgroundWriter::serve() {
  std::unique_lock lock(mutex_);
  const auto has_work = [&] {
    return ending_ || again_ || want_sync_ || (!failed_ && !waiting_.empty());
  };
  for (;;) {
    if (written_ != synced_ && !failed_) {
      wake_.wait_until(lock, next_sync_, has_work);
    } else {
      wake_.wait(lock, has_work);
    }
    again_ = false;
    gather(lock);
    if (sent_ != written_ || !waiting_.empty()) write(lock);
    const bool is_due =
        want_sync_ || ending_ || failed_ || std::chrono::steady_clock::now() >= next_sync_;
    if (sent_ == written_ && written_ != synced_ && is_due) sync(lock);
    // After a failure nothing is tried before a caller asks.
    if (waiting_.empty() || failed_) hurry_ = want_sync_ = false;
    changed_.notify_all();
    const bool is_done = waiting_.empty() && synced_ == sent_;
    if (ending_ && (is_done || failed_)) return;
  }
}

void BackgroundWriter::gather(std::unique_lock<std::mutex>& lock) {
  const auto enough = [&] {
    return hurry_ || ending_ || failed_ || waiting_.empty() || waiting_.bytes() > kEagerBytes;
  };
  wake_.wait_for(lock, kGather, enough);
}

// The batch at hand again where it failed, else what waits.
void BackgroundWriter::write(std::unique_lock<std::mutex>& lock) {
  if (sent_ == written_) {
    std::swap(batch_, waiting_);
    std::swap(batch_keys_, waiting_keys_);
    sent_ = taken_;
  }
  lock.unlock();
  changed_.notify_all();  // there is room
  const Result<void> result = [&]() -> Result<void> {
    const std::lock_guard busy(writing_);
    try {
      return writer_->write(batch_);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::out_of_memory, "not enough memory to write to the journal",
                   "give the program more memory or close others"};
    }
  }();
  lock.lock();
  conclude(result);
  if (!result.ok()) return;
  if (written_ == synced_) next_sync_ = std::chrono::steady_clock::now() + between_syncs_;
  written_ = sent_;
  batch_.clear();
  batch_keys_.clear();
}

void BackgroundWriter::sync(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t target = written_;
  lock.unlock();
  const Result<void> result = [&] {
    const std::lock_guard busy(writing_);
    return writer_->sync();
  }();
  lock.lock();
  conclude(result);
  if (result.ok()) synced_ = target;
  next_sync_ = std::chrono::steady_clock::now() + between_syncs_;
}

void BackgroundWriter::conclude(const Result<void>& result) {
  failed_.reset();
  if (result.ok()) return;
  failed_ = result.error();
  ++failures_;
}

}  // namespace paco::journal
