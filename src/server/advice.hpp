// Suggestions and warnings of one stream, computed on a separate thread. A request gets the last
// result at once if that includes all required events. Otherwise it is answered when a new result
// is ready, without blocking a thread meanwhile.
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
  // `make` runs on the thread of this object.
  explicit Advice(std::function<Found()> make);
  ~Advice();  // requests that still wait get null

  // Calls done(found) once with a result for at least the first `events` events of the stream,
  // which must have happened: on this thread if such a result exists, otherwise on the thread of
  // this object.
  void ask(std::uint64_t events, std::function<void(Found)> done);
  // Starts a new computation in the background if the last result is older than ten seconds.
  void refresh();
  Found last() const;  // null before the first result

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
