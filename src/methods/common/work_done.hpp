// The progress of a calibration, and whether it has to stop. Any thread can report progress; the
// calls to the listener are made one at a time.
#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>

#include "paco/model.hpp"

namespace paco::methods {

class WorkDone {
 public:
  WorkDone(std::uint64_t total, std::stop_token stop, const CalibrationProgress& listener)
      : total_(total), stop_(std::move(stop)), listener_(listener) {}
  WorkDone() : WorkDone(0, {}, {}) {}  // no listener, no stop token

  bool stopped() const { return stop_.stop_requested(); }
  // Adds `samples` to the number of scored samples.
  void add(std::uint64_t samples) {
    if (!listener_) return;
    const std::lock_guard lock(mutex_);
    done_ += samples;
    listener_(done_, total_);
  }

 private:
  std::uint64_t total_;
  std::stop_token stop_;
  CalibrationProgress listener_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

}  // namespace paco::methods
