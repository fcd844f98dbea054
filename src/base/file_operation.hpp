// Shared by the files of this folder that talk to the system: the counted operation behind
// FailNthOperation, and errors in plain words. Not for use outside src/base.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::files {

// Counts one operation. False (with errno set to EIO) when it is the one that a test wants to fail.
bool operation_allowed();

// "runs/model.paco: cannot write: No space left on device", with a hint that fits the cause.
Error system_error(const std::string& path, std::string_view action, int cause = errno);

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

}  // namespace paco::files
