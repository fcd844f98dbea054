#include "bus/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/printable.hpp"

namespace paco::bus {

std::string_view part_name(Part part) {
  switch (part) {
    case Part::events:
      return "events";
    case Part::decisions:
      return "decisions";
    case Part::raw:
      return "raw";
    case Part::rejected:
      return "rejected";
    case Part::files:
      break;
  }
  return "files";
}

Result<void> check_stream_name(std::string_view name) {
  constexpr std::size_t kLongest = 48;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  if (!name.empty() && name.size() <= kLongest && std::all_of(name.begin(), name.end(), fits))
    return {};
  return Error{ErrorCode::bad_argument,
               fmt::format("'{}' cannot be the name of a stream on the bus", core::printable(name)),
               fmt::format("take 1 to {} letters, digits, '_' and '-'", kLongest)};
}

std::string jetstream_of(std::string_view name, Part part) {
  return fmt::format("paco-{}-{}", name, part_name(part));
}

std::string subject_of(std::string_view name, Part part) {
  return fmt::format("paco.{}.{}", name, part_name(part));
}

}  // namespace paco::bus
