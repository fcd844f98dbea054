// The decisions subject of a stream to look at: its groups by message and by event.
#pragma once

#include <optional>
#include <string>

#include "bus/connection.hpp"
#include "bus/record.hpp"

namespace paco::bus {

struct Heard {
  Group group;
  std::uint64_t sequence;  // of its message
};

Result<std::optional<Heard>> newest_group(const Connection& connection, const std::string& stream,
                                          const std::stop_token& stop);
// The group that has an event, which must stand; `newest` is the last message.
Result<Heard> group_with(const Connection& connection, const std::string& stream,
                         std::uint64_t event, std::uint64_t newest, const std::stop_token& stop);
// A message as a reader gave it.
Result<Heard> heard_of(const std::string& stream, natsMsg* message);

}  // namespace paco::bus
