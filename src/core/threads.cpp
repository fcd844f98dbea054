#include "core/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace paco::core {
namespace {

// True on a thread that is inside a loop of any pool. A nested loop then runs on that thread, so
// that it cannot wait for itself.
thread_local bool inside_loop = false;

using Body = std::function<void(std::size_t, std::size_t)>;

struct Loop {
  std::size_t count;
  std::size_t grain;
  const Body* body;
  std::atomic<std::size_t> next_range;
  std::atomic<bool> failed;
  std::exception_ptr failure;  // written by the thread that set `failed`, read when all have left

  void work() {
    inside_loop = true;
    const std::size_t ranges = (count + grain - 1) / grain;
    try {
      for (std::size_t range = next_range++; range < ranges; range = next_range++) {
        const std::size_t begin = range * grain;
        (*body)(begin, begin + std::min(grain, count - begin));
      }
    } catch (...) {
      next_range = ranges;  // no thread begins another
      if (!failed.exchange(true)) failure = std::current_exception();
    }
    inside_loop = false;
  }
};

}  // namespace

struct ThreadPool::Shared {
  std::mutex one_loop;  // held by the caller whose loop is running

  std::mutex mutex;  // guards all below
  std::condition_variable work_ready;
  std::condition_variable work_done;
  Loop* loop = nullptr;          // null if no loop has ranges left
  std::uint64_t generation = 0;  // counts loops, so that no worker takes part in one twice
  std::size_t busy = 0;          // workers that are in the current loop
  bool ending = false;
  std::vector<std::thread> workers;

  void serve() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      work_ready.wait(lock, [&] { return ending || (loop != nullptr && generation != seen); });
      if (ending) return;
      seen = generation;
      Loop* mine = loop;
      ++busy;
      lock.unlock();
      mine->work();
      lock.lock();
      if (--busy == 0) work_done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : threads_(1) {
  const unsigned wanted = std::min(threads == 0 ? available_threads() : threads, kMostThreads);
  if (wanted == 1) return;
  std::unique_ptr<Shared> shared;
  try {
    shared = std::make_unique<Shared>();
    shared->workers.reserve(wanted - 1);
    while (threads_ < wanted) {
      shared->workers.emplace_back([pool = shared.get()] { pool->serve(); });
      ++threads_;
    }
  } catch (const std::system_error&) {  // process limit: the threads that exist do the work
  } catch (const std::bad_alloc&) {     // likewise
  }
  if (threads_ > 1) shared_ = std::move(shared);
}

ThreadPool::~ThreadPool() {
  if (!shared_) return;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->ending = true;
  }
  shared_->work_ready.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

void ThreadPool::parallel_for(std::size_t count, std::size_t grain, const Body& body) {
  assert(grain > 0);
  if (!shared_ || inside_loop || count <= grain) {
    for (std::size_t begin = 0; begin < count; begin += std::min(grain, count - begin)) {
      body(begin, begin + std::min(grain, count - begin));
    }
    return;
  }
  const std::lock_guard mine(shared_->one_loop);
  Loop loop{count, grain, &body, {}, {}, {}};
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->loop = &loop;
    ++shared_->generation;
  }
  shared_->work_ready.notify_all();
  loop.work();
  // `loop` must stay alive until every worker has left it. A worker that has not woken up yet,
  // because other processes use its core, is not waited for: it finds no loop.
  std::unique_lock lock(shared_->mutex);
  shared_->loop = nullptr;
  shared_->work_done.wait(lock, [&] { return shared_->busy == 0; });
  if (loop.failed) std::rethrow_exception(loop.failure);
}

unsigned available_threads() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace paco::core
