#include "gil.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace paco::python {
namespace {

std::atomic<unsigned> fork_count{0};
std::atomic<int> working{0};  // calls that have released the GIL to work
std::atomic<bool> ending{false};
std::thread::id last_thread;  // set before `ending`

[[noreturn]] void stay() {
  for (;;) ::pause();
}

void finish_work() {
  working.fetch_sub(1);
  if (ending) working.notify_all();
}

}  // namespace

void watch_forks() {
  ::pthread_atfork(nullptr, nullptr, [] {
    fork_count.fetch_add(1);
    working = 0;  // the child process does not have these threads
  });
}

unsigned forks() { return fork_count.load(std::memory_order_relaxed); }

bool is_ending() { return ending; }
bool is_left_behind() { return ending && std::this_thread::get_id() != last_thread; }

ReleaseGil::ReleaseGil(For purpose) : counted_(purpose == For::work), forks_(forks()) {
  // `ending` changes only while the GIL is held, and this thread still holds it.
  if (is_left_behind()) {
    PyEval_SaveThread();
    stay();
  }
  if (counted_) working.fetch_add(1);
  state_ = PyEval_SaveThread();
}

ReleaseGil::~ReleaseGil() {
  if (!counted_) {
    working.fetch_add(1);
    counted_ = true;
    forks_ = forks();
    if (is_left_behind()) {
      finish_work();
      stay();
    }
  }
  // While this call is counted, the interpreter waits for it and gives it the GIL.
  PyEval_RestoreThread(state_);
  if (forks_ != forks()) return;  // in a child process, where this call was not counted
  finish_work();
  if (is_left_behind()) {
    PyEval_SaveThread();
    stay();
  }
}

void end_calls() {
  last_thread = std::this_thread::get_id();
  ending = true;
  PyThreadState* state = PyEval_SaveThread();
  for (int now = working; now != 0; now = working) working.wait(now);
  PyEval_RestoreThread(state);
}

}  // namespace paco::python
