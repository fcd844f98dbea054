#include "shared/folder_watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco {
namespace {

constexpr int kDeepestWatched = 16;
constexpr int kLookEvery = 200;  // milliseconds between checks of the stop token

Error watch_error(const std::string& folder) {
  return Error{ErrorCode::io,
               fmt::format("{}: cannot be watched: {}", folder, std::strerror(errno)),
               errno == ENOSPC ? "raise the limit: sysctl fs.inotify.max_user_watches" : ""};
}

}  // namespace

FolderWatch::FolderWatch(FolderWatch&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), folder_(std::move(other.folder_)) {}
FolderWatch::~FolderWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<FolderWatch> FolderWatch::begin(const std::string& folder) {
  FolderWatch watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (watch.descriptor_ < 0) return watch_error(folder);
  watch.folder_ = folder;
  PACO_TRY(watch.add(folder, 0));
  return watch;
}

// Watching a folder again has no effect; a subfolder that was just removed is ignored.
Result<void> FolderWatch::add(const std::string& folder, int depth) {
  constexpr std::uint32_t kChanges =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ONLYDIR;
  if (::inotify_add_watch(descriptor_, folder.c_str(), kChanges) < 0)
    return errno == ENOENT && depth > 0 ? Result<void>() : watch_error(folder);
  const auto names = core::list_folder(folder);
  if (!names.ok() || depth == kDeepestWatched) return {};
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    if (!name.starts_with('.') && core::path_kind(path) == core::PathKind::folder)
      PACO_TRY(add(path, depth + 1));
  }
  return {};
}

Result<bool> FolderWatch::wait(std::stop_token stop) {
  while (!stop.stop_requested()) {
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, kLookEvery) <= 0) continue;
    alignas(inotify_event) char events[1 << 14];
    while (::read(descriptor_, events, sizeof events) > 0) {
    }
    PACO_TRY(add(folder_, 0));
    return true;
  }
  return false;
}

}  // namespace paco
