// Ctrl-C, SIGTERM and SIGHUP as a stop token. The first one asks the program to stop, which leaves
// valid output; a second one ends it at once, and leaves no temporary file. Once per process.
#pragma once

#include <functional>
#include <stop_token>

namespace paco {

std::stop_token stop_on_signals();

// Whether the program was asked to stop by SIGTERM, as a service manager does.
bool stopped_by_sigterm();

// While one lives, SIGHUP asks for `reload`, on a thread of its own, and stops nothing. One at a
// time.
class ReloadOnHangup {
 public:
  explicit ReloadOnHangup(std::function<void()> reload);
  ~ReloadOnHangup();
  ReloadOnHangup(const ReloadOnHangup&) = delete;
  ReloadOnHangup& operator=(const ReloadOnHangup&) = delete;
};

// While one lives, a signal ends the process within a moment even if no loop checks the token:
// for a verb that reads large files and has written and printed nothing yet. One at a time.
class NothingToLose {
 public:
  // With `json` the object that says so goes to stdout.
  explicit NothingToLose(bool json);
  ~NothingToLose();
  NothingToLose(const NothingToLose&) = delete;
  NothingToLose& operator=(const NothingToLose&) = delete;
};

}  // namespace paco
