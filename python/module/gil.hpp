// Python's lock, given up while the engine works, and what becomes of calls when the program ends.
//
// A daemon thread may be inside a call when the interpreter goes away. Python ends such a thread at
// its next request for the lock, by an unwinding that C++ cannot stop, and the process would abort.
// So the end of the program first waits for the calls in progress (end_calls(), by atexit), and a
// thread other than the last one stays where it is when its call wants the lock back.
#pragma once

#include <pybind11/pybind11.h>

namespace paco::python {

namespace py = pybind11;

class ReleaseGil {
 public:
  enum class For { work, wait };  // the end of the program waits for work, not for who waits

  explicit ReleaseGil(For purpose = For::work);
  ~ReleaseGil();
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  bool counted_;
  unsigned forks_;
  PyThreadState* state_ = nullptr;
};

// How often this process has been forked off, so that copies know that they are.
void watch_forks();
unsigned forks();

// From now on only this thread gets into the engine and out of it. Waits for the others' calls.
void end_calls();
// Whether the program ends and this is another thread than the one that ends it; and whether it
// ends at all.
bool is_left_behind();
bool is_ending();

}  // namespace paco::python
