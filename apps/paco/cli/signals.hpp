// Converts Ctrl-C, SIGTERM and SIGHUP to a stop token. The first signal requests a stop, which
// leaves valid output; a second one ends the program at once and removes temporary files. Call once
// per process.
#pragma once

#include <functional>
#include <stop_token>

namespace paco {

std::stop_token stop_on_signals();

// Whether the program was asked to stop by SIGTERM, as a service manager does.
bool stopped_by_sigterm();

// During the lifetime of this object, SIGHUP calls `reload` on a separate thread and does not stop
// the program. At most one object at a time.
class ReloadOnHangup {
 public:
  explicit ReloadOnHangup(std::function<void()> reload);
  ~ReloadOnHangup();
  ReloadOnHangup(const ReloadOnHangup&) = delete;
  ReloadOnHangup& operator=(const ReloadOnHangup&) = delete;
};

// During the lifetime of this object, a signal ends the process within a moment even if no loop
// checks the token. For a verb that reads large files and has not written or printed anything yet.
// At most one object at a time.
class NothingToLose {
 public:
  // With `json`, the error object is printed to stdout.
  explicit NothingToLose(bool json);
  ~NothingToLose();
  NothingToLose(const NothingToLose&) = delete;
  NothingToLose& operator=(const NothingToLose&) = delete;
};

}  // namespace paco
