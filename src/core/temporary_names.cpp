#include "core/temporary_names.hpp"

#include <limits.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "core/files.hpp"

namespace paco::core {
namespace {

// Fixed memory that is never freed: a signal handler may run while another thread is at any point.
struct Place {
  enum State : int { empty, changing, filled };
  std::atomic<int> state{empty};
  std::array<char, PATH_MAX> path;
};
static_assert(std::atomic<int>::is_always_lock_free);

std::array<Place, files::kRoom> places;

}  // namespace

namespace files {

void note_temporary(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (Place& place : places) {
    int expected = Place::empty;
    if (!place.state.compare_exchange_strong(expected, Place::changing)) continue;
    std::memcpy(place.path.data(), path.c_str(), path.size() + 1);
    place.state = Place::filled;
    return;
  }
}

void forget_temporary(const std::string& path) {
  for (Place& place : places) {
    if (place.state != Place::filled || path != place.path.data()) continue;
    place.state = Place::empty;
    return;
  }
}

}  // namespace files

void remove_temporary_files() noexcept {
  for (Place& place : places) {
    if (place.state == Place::filled) ::unlink(place.path.data());
  }
}

}  // namespace paco::core
