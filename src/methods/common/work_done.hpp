// How far a calibration is, and whether it is to go on: reported by any of its threads, passed on
// one call at a time.
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
  // Another so many samples were scored.
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
