// A thread pool for loops over independent ranges. It has no tasks and no futures.
//
// The ranges depend only on the count and the grain, never on the number of threads. A loop that
// writes the result of each range to a separate place therefore gives the same bytes on any
// machine. With one thread nothing is started and the caller does all the work, in order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace paco::core {

// More threads make no loop faster, and a machine stays responsive if too many are requested by
// mistake.
inline constexpr unsigned kMostThreads = 1024;

class ThreadPool {
 public:
  // `threads` includes the caller: 1 starts no thread; 0 means one per core of the machine; values
  // above kMostThreads are reduced to kMostThreads. If the system refuses to start a thread, the
  // pool works without it.
  explicit ThreadPool(unsigned threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return threads_; }  // actual number, including the caller

  // Calls body(begin, end) for [0, grain), [grain, 2 grain), ... up to count, each range once, and
  // returns when all are done. If a body throws (memory may run out), this function throws one of
  // the exceptions, and ranges that have not started are skipped. A nested loop runs on the thread
  // that calls it. May be called from any thread.
  void parallel_for(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end)>& body);

 private:
  struct Shared;
  unsigned threads_;
  std::unique_ptr<Shared> shared_;  // null with one thread
};

// The number of cores that this process may use.
unsigned available_threads();

}  // namespace paco::core
