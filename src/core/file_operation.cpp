#include "core/file_operation.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <stdlib.h>

#include <atomic>
#include <cassert>
#include <system_error>

#include "core/files.hpp"

namespace paco::core {
namespace {

// Number of operations until the one that fails; 0 if no test requested a failure or if it has
// already happened.
std::atomic<std::int64_t> operations_left{0};
std::atomic<bool> failure_happened{false};

std::string hint_for(int cause) {
  switch (cause) {
    case ENOENT:
      return "check the spelling of the path";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and of its folder";
    case ENOSPC:
    case EDQUOT:
      return "free some space or write to another disk";
    case EROFS:
      return "the disk is read-only: write to another folder";
    case EISDIR:
      return "give a file, not a folder";
    case ENOTDIR:
      return "a part of the path is a file where a folder is needed";
    case EMFILE:
    case ENFILE:
      return "too many files are open: raise the limit with 'ulimit -n'";
    case ENOMEM:
      return "give the program more memory or close others";
    case EFBIG:
      return "the file would be larger than the system allows: see 'ulimit -f'";
    case EIO:
      return "the device reports a failure: check the disk";
    default:
      return "";
  }
}

}  // namespace

namespace files {

bool operation_allowed() {
  if (operations_left.load(std::memory_order_relaxed) <= 0) return true;
  if (operations_left.fetch_sub(1) != 1) return true;
  failure_happened = true;
  errno = EIO;
  return false;
}

std::string follow_links(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? std::string(resolved) : path;
}

Error system_error(const std::string& path, std::string_view action, int cause) {
  if (cause == EINTR) {
    return Error{ErrorCode::interrupted,
                 fmt::format("{}: interrupted while waiting to {}", path, action), ""};
  }
  const ErrorCode code = cause == ENOENT   ? ErrorCode::not_found
                         : cause == ENOMEM ? ErrorCode::out_of_memory
                                           : ErrorCode::io;
  return Error{code,
               fmt::format("{}: cannot {}: {}", path, action,
                           std::error_code(cause, std::generic_category()).message()),
               hint_for(cause)};
}

}  // namespace files

FailNthOperation::FailNthOperation(std::uint64_t n) {
  assert(n > 0 && operations_left.load() <= 0);
  failure_happened = false;
  operations_left = static_cast<std::int64_t>(n);
}

FailNthOperation::~FailNthOperation() { operations_left = 0; }

bool FailNthOperation::happened() const { return failure_happened; }

}  // namespace paco::core
