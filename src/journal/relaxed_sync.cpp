#include "journal/relaxed_sync.hpp"

#include <fmt/format.h>

#include <system_error>

namespace paco::journal {

Result<std::unique_ptr<RelaxedSync>> RelaxedSync::start(Writer& writer,
                                                        std::chrono::milliseconds between_syncs) {
  std::unique_ptr<RelaxedSync> started(new RelaxedSync(writer, between_syncs));
  try {
    started->thread_ = std::thread([self = started.get()] { self->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::io, fmt::format("cannot start a thread for syncs: {}", error.what()),
                 "use full durability, which needs none"};
  }
  return started;
}

RelaxedSync::~RelaxedSync() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void RelaxedSync::run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    wake_.wait(lock, [&] { return is_ending_ || (is_dirty_ && !has_failed_); });
    wake_.wait_for(lock, between_syncs_, [&] { return is_ending_; });
    if (is_dirty_ && !is_ending_) static_cast<void>(sync());
  }
  if (is_dirty_) static_cast<void>(sync());
}

Result<void> RelaxedSync::flush() {
  const std::lock_guard lock(mutex_);
  return is_dirty_ ? sync() : Result<void>{};
}

Result<void> RelaxedSync::sync() {
  auto synced = writer_.sync();
  has_failed_ = !synced.ok();
  is_dirty_ = has_failed_;
  return synced;
}

}  // namespace paco::journal
