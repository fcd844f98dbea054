// Shared by the code that makes system calls: the counted operation behind FailNthOperation, and
// readable errors. Used by src/core, and by src/journal, which uses SQLite.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "core/files.hpp"
#include "paco/result.hpp"

namespace paco::core::files {

// Counts one operation. Returns false (with errno set to EIO) if a test wants this operation to
// fail.
bool operation_allowed();

// "runs/model.paco: cannot write: No space left on device", with a hint that fits the cause.
Error system_error(const std::string& path, std::string_view action, int cause = errno);

// The target of a link, so that the file is replaced and the link stays. A name that does not exist
// is returned unchanged.
std::string follow_links(const std::string& path);

// Makes a system call that returns -1 on failure. The call is counted, and repeated if a signal
// interrupts it.
template <class Call>
auto counted(Call call) -> decltype(call()) {
  if (!operation_allowed()) return -1;
  for (;;) {
    const auto answer = call();
    if (answer != -1 || errno != EINTR) return answer;
  }
}

// Same as counted(), for a call that can block for ever on a pipe: for a pipe a signal ends the
// call with errno EINTR, so that Ctrl-C works.
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
