// One thread, one clock and one seed for everything that a simulation does: actions run in the
// order of their times, and all that is random comes from the seed. So the same seed is the same
// run.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "bus/log.hpp"

namespace paco::bus {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int between(int low, int high) {  // both included
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool once_in(int n) { return n > 0 && next() % static_cast<std::uint64_t>(n) == 0; }

 private:
  std::uint64_t state_;
};

class Scheduler {
 public:
  Scheduler(std::uint64_t seed, bool tracing) : chance_(seed), tracing_(tracing) {}

  Time now() const { return Time(std::chrono::milliseconds(now_)); }
  int milliseconds() const { return now_; }
  Chance& chance() { return chance_; }

  void after(int delay, std::function<void()> action) {
    actions_.push({now_ + delay, order_++, std::move(action)});
  }
  // Runs the next action; false if there is none until `end`.
  bool run_next(int end) {
    if (actions_.empty() || actions_.top().time > end) {
      now_ = std::max(now_, end);
      return false;
    }
    const Action next = actions_.top();
    actions_.pop();
    now_ = std::max(now_, next.time);
    next.run();
    return true;
  }

  bool tracing() const { return tracing_; }
  void trace(const std::string& text) {
    if (tracing_) trace_ += std::to_string(now_) + " ms  " + text + "\n";
  }
  const std::string& trace() const { return trace_; }

 private:
  struct Action {
    int time;
    std::uint64_t order;
    std::function<void()> run;
    bool operator<(const Action& other) const {
      return std::pair(time, order) > std::pair(other.time, other.order);
    }
  };
  Chance chance_;
  const bool tracing_;
  std::string trace_;
  int now_ = 0;
  std::uint64_t order_ = 0;
  std::priority_queue<Action> actions_;
};

}  // namespace paco::bus
