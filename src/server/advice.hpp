// Suggestions and warnings of one stream, made on a thread of their own. A request gets the last
// ones at once; if something happened since that they must know of, it is answered when they are
// made anew, and no thread waits for that.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "insight/insight.hpp"

namespace paco::server {

class Advice {
 public:
  struct Made {
    insight::Insight insight;
    std::shared_ptr<const MemoryView> view;  // of the same moment, for the names
  };
  using Found = std::shared_ptr<const Made>;
  // Runs on the thread of this object.
  explicit Advice(std::function<Found()> make);
  ~Advice();  // those that still wait get null

  // Calls done(found) once with what was made of at least `events` events of the stream (they have
  // happened): on this thread if it is there, else on the thread of this object.
  void ask(std::uint64_t events, std::function<void(Found)> done);
  // Made anew in the background if it is older than ten seconds.
  void refresh();
  Found last() const;  // null before the first

 private:
  struct Waiting {
    std::uint64_t events;
    std::function<void(Found)> done;
  };
  void run();

  const std::function<Found()> make_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  Found last_;
  std::chrono::steady_clock::time_point made_{};
  std::vector<Waiting> waiting_;
  bool wanted_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace paco::server
