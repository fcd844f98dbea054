#include "cli/exec_sibling.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "cli/torch_parts.hpp"

namespace paco {
namespace {

// Torch's threads wait for each other by spinning for milliseconds. If another process uses one of
// the cores, the spinning threads keep the thread that they wait for from running. So limit the
// spinning to about twenty microseconds, and do not divide the matrix products inside a thread.
// Both libraries read these variables when they are loaded; values set by the user are kept.
void let_waiting_threads_sleep() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "2000", 0);
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
}

// Empty if the system does not provide it.
std::string own_folder() {
  std::array<char, PATH_MAX> self;
  const ssize_t length = ::readlink("/proc/self/exe", self.data(), self.size());
  if (length <= 0) return "";
  const std::string_view path(self.data(), static_cast<std::size_t>(length));
  return std::string(path.substr(0, path.rfind('/') + 1));
}

}  // namespace

bool built_with_torch() {
#ifdef PACO_WITH_TORCH
  return true;
#else
  return false;
#endif
}

bool torch_sibling_is_there() {
  return built_with_torch() && ::access((own_folder() + "paco-torch").c_str(), X_OK) == 0;
}

Error exec_torch_sibling(const std::string& verb, char** argv) {
  if (built_with_torch()) {
    let_waiting_threads_sleep();
    ::execv((own_folder() + "paco-torch").c_str(), argv);
    return Error{ErrorCode::unsupported,
                 fmt::format("'{}' needs paco-torch, which is not beside paco", verb),
                 "install the package paco-torch; both programs belong in one folder"};
  }
  return Error{ErrorCode::unsupported, fmt::format("'{}' with these options needs torch", verb),
               "install libtorch-dev and build again"};
}

}  // namespace paco
