#include "core/take_name.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "core/file_operation.hpp"
#include "core/try.hpp"

namespace paco::core {

using files::counted;
using files::system_error;

namespace {

Result<void> sync_at(const std::string& path, int flags) {
  const int descriptor = counted([&] { return ::open(path.c_str(), flags | O_CLOEXEC); });
  if (descriptor < 0) return system_error(path, "open");
  const bool synced = counted([&] { return ::fsync(descriptor); }) == 0;
  const int cause = errno;
  ::close(descriptor);
  return synced ? Result<void>{} : system_error(path, "write", cause);
}

}  // namespace

Result<void> take_name(const std::string& temporary, const std::string& path) {
  PACO_TRY(sync_at(temporary, O_RDWR));
  const auto rename = [&](unsigned flags) {
    return counted([&] {
             return ::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), flags);
           }) == 0;
  };
  // Some file systems do not support a conditional rename; for them the plain rename is used.
  const bool renamed = rename(RENAME_NOREPLACE) || (errno == EINVAL && rename(0));
  if (!renamed) return system_error(path, "make");
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return sync_at(folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace paco::core
