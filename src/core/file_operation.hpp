// Shared by the files that talk to the system: the counted operation behind FailNthOperation, and
// errors in plain words. For src/core, and for src/journal, which uses SQLite.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "core/files.hpp"
#include "paco/result.hpp"

namespace paco::core::files {

// Counts one operation. False (with errno set to EIO) when it is the one that a test wants to fail.
bool operation_allowed();

// "runs/model.paco: cannot write: No space left on device", with a hint that fits the cause.
Error system_error(const std::string& path, std::string_view action, int cause = errno);

// Where a link leads, so that the file is replaced and the link stays; a name that is not there yet
// is itself.
std::string follow_links(const std::string& path);

// Calls a system function that answers -1 on failure: counted, and again when a signal cut it
// short.
template <class Call>
auto counted(Call call) -> decltype(call()) {
  if (!operation_allowed()) return -1;
  for (;;) {
    const auto answer = call();
    if (answer != -1 || errno != EINTR) return answer;
  }
}

// The same for a call that may wait for ever where the file is a pipe: there a signal ends it, with
// errno EINTR, so that Ctrl-C is heard.
template <class Call>
auto counted_wait(const std::string& path, Call call) -> decltype(call()) {
  if (!operation_allowed()) return -1;
  for (;;) {
    const auto answer = call();
    if (answer != -1 || errno != EINTR) return answer;
    if (path_kind(path) == PathKind::other) {
      errno = EINTR;
      return answer;
    }
  }
}

}  // namespace paco::core::files
