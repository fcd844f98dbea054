// Reads committed groups of decisions, by message number or by event.
#pragma once

#include <optional>
#include <string>

#include "bus/log.hpp"
#include "bus/record.hpp"

namespace paco::bus {

struct CommittedGroup {
  Group group;
  std::uint64_t sequence = 0;  // number of its message
};

Result<std::optional<CommittedGroup>> newest_group(StreamLog& log, const std::string& stream,
                                                   const std::stop_token& stop);
// The group in message `sequence`, which must exist.
Result<CommittedGroup> group_at(StreamLog& log, const std::string& stream, std::uint64_t sequence,
                                const std::stop_token& stop);
// The group with a given event, which must be committed. `newest` is the number of the last
// message.
Result<CommittedGroup> group_with(StreamLog& log, const std::string& stream, std::uint64_t event,
                                  std::uint64_t newest, const std::stop_token& stop);
Result<CommittedGroup> parse_committed(const std::string& stream, const LogMessage& message);

}  // namespace paco::bus
