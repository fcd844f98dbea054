#include "core/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace paco::core {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;  // absent, or "max"
}

std::uint64_t of_the_machine() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (file >> word) {
    if (word == "MemAvailable:" && file >> kilobytes) return 1024 * kilobytes;
  }
  return kUnknown;
}

// Free memory of the control group of the process, which limits a container.
std::uint64_t of_the_group() {
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  const auto taken = number_in("/sys/fs/cgroup/memory.current");
  if (!most || !taken) return kUnknown;
  return *most > *taken ? *most - *taken : 0;
}

}  // namespace

std::uint64_t free_memory() { return std::min(of_the_machine(), of_the_group()); }

}  // namespace paco::core
