// A few threads that wait for work. Only loops over independent ranges: no tasks, no futures.
//
// The ranges depend on the count and the grain alone, never on the number of threads, so a loop
// that writes what each range computes to a place of its own gives the same bytes on any machine.
// With one thread nothing is started and the caller does all the work, in order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace paco::core {

// More help no loop, and a machine that is asked for them by mistake still answers.
inline constexpr unsigned kMostThreads = 1024;

class ThreadPool {
 public:
  // `threads` counts the caller: 1 starts none; 0 means as many as the machine has cores; more than
  // kMostThreads are kMostThreads. A thread that the system refuses to start is done without.
  explicit ThreadPool(unsigned threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned threads() const { return threads_; }  // that there are, the caller among them

  // Calls body(begin, end) for [0, grain), [grain, 2 grain), ... up to count, each range once, and
  // returns when all are done. What a body throws (memory may run out) is thrown here, once, and
  // ranges that have not begun are left out. A loop inside a loop runs on the thread it
  // is on. May be called from any thread.
  void parallel_for(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end)>& body);

 private:
  struct Shared;
  unsigned threads_;
  std::unique_ptr<Shared> shared_;  // null with one thread
};

// What the machine offers to this process: cores, less those that the system keeps from it.
unsigned available_threads();

}  // namespace paco::core
