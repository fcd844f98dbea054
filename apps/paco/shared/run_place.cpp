#include "shared/run_place.hpp"

#include <ctime>

#include "cli/commit.hpp"
#include "core/files.hpp"
#include "core/threads.hpp"

namespace paco {
namespace {

// The processor's name as Linux tells it; empty elsewhere.
std::string processor_name() {
  const auto bytes = core::read_file("/proc/cpuinfo");
  if (!bytes.ok()) return "";
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  constexpr std::string_view kKey = "model name";
  const std::size_t at = text.find(kKey);
  if (at == text.npos) return "";
  const std::size_t colon = text.find(':', at), end = text.find('\n', at);
  if (colon == text.npos || colon + 2 >= end) return "";
  return std::string(text.substr(colon + 2, end - colon - 2));
}

}  // namespace

study::RunPlace this_place() {
  char time[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  if (gmtime_r(&now, &utc) != nullptr) std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {PACO_VERSION, built_from(), processor_name(), time, core::available_threads()};
}

}  // namespace paco
