// Releases Python's GIL while the engine works, and handles calls that are in progress when the
// program ends.
//
// A daemon thread may be inside a call when the interpreter shuts down. Python ends such a thread
// when it next requests the GIL, by an unwinding that C++ cannot stop, and the process would abort.
// So the end of the program first waits for the calls in progress (end_calls(), by atexit), and
// after that any other thread that requests the GIL is blocked for ever.
#pragma once

#include <pybind11/pybind11.h>

namespace paco::python {

namespace py = pybind11;

class ReleaseGil {
 public:
  enum class For { work, wait };  // shutdown waits for `work` only

  explicit ReleaseGil(For purpose = For::work);
  ~ReleaseGil();
  ReleaseGil(const ReleaseGil&) = delete;
  ReleaseGil& operator=(const ReleaseGil&) = delete;

 private:
  bool counted_;
  unsigned forks_;
  PyThreadState* state_ = nullptr;
};

// The number of forks of this process so far; a child process detects by it that it is one.
void watch_forks();
unsigned forks();

// From now on only this thread may enter or leave the engine. Waits for the calls of other threads.
void end_calls();
// is_left_behind(): the program is ending and this is not the thread that ends it. is_ending(): the
// program is ending.
bool is_left_behind();
bool is_ending();

}  // namespace paco::python
