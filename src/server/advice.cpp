#include "server/advice.hpp"

#include <algorithm>
#include <utility>

namespace paco::server {
namespace {

constexpr auto kLasts = std::chrono::seconds(10);

}  // namespace

Advice::Advice(std::function<Found()> make) : make_(std::move(make)), thread_([this] { run(); }) {}

Advice::~Advice() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
  for (const Waiting& one : waiting_) one.done(nullptr);
}

void Advice::ask(std::uint64_t events, std::function<void(Found)> done) {
  Found found;
  {
    const std::lock_guard lock(mutex_);
    if (last_ != nullptr && last_->insight.events >= events) {
      found = last_;
    } else {
      waiting_.push_back({events, std::move(done)});
      wanted_ = true;
    }
  }
  if (found == nullptr) return wake_.notify_all();
  done(std::move(found));
  refresh();
}

void Advice::refresh() {
  {
    const std::lock_guard lock(mutex_);
    if (last_ != nullptr && std::chrono::steady_clock::now() - made_ < kLasts) return;
    wanted_ = true;
  }
  wake_.notify_all();
}

Advice::Found Advice::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void Advice::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return wanted_ || ending_; });
      if (ending_) return;
      wanted_ = false;
    }
    Found made = make_();
    std::vector<Waiting> answered;
    {
      const std::lock_guard lock(mutex_);
      last_ = made;
      made_ = std::chrono::steady_clock::now();
      const auto rest = std::partition(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
        return one.events <= made->insight.events;
      });
      answered.assign(std::move_iterator(waiting_.begin()), std::move_iterator(rest));
      waiting_.erase(waiting_.begin(), rest);
      wanted_ = !waiting_.empty();
    }
    for (const Waiting& one : answered) one.done(made);
  }
}

}  // namespace paco::server
