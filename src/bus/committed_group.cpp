#include "bus/committed_group.hpp"

#include <fmt/format.h>

#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

Error not_kept(const std::string& stream, const std::string& what) {
  return {ErrorCode::not_found, fmt::format("stream '{}': {} is not kept", stream, what),
          "begin with a later event, or with a journal or a snapshot that goes further"};
}

// 0: the newest.
Result<std::optional<CommittedGroup>> find_group(StreamLog& log, const std::string& stream,
                                                 std::uint64_t sequence,
                                                 const std::stop_token& stop) {
  PACO_ASSIGN(const std::optional<LogMessage> message, log.decision_message(sequence, stop));
  if (!message) return std::optional<CommittedGroup>();
  PACO_ASSIGN(CommittedGroup group, parse_committed(stream, *message));
  return std::optional(std::move(group));
}

}  // namespace

Result<CommittedGroup> parse_committed(const std::string& stream, const LogMessage& message) {
  const std::string name =
      fmt::format("{}, message {}", subject_of(stream, Part::decisions), message.sequence);
  PACO_ASSIGN(Group group, parse_group(message.bytes, name));
  return CommittedGroup{std::move(group), message.sequence};
}

Result<std::optional<CommittedGroup>> newest_group(StreamLog& log, const std::string& stream,
                                                   const std::stop_token& stop) {
  return find_group(log, stream, 0, stop);
}

Result<CommittedGroup> group_at(StreamLog& log, const std::string& stream, std::uint64_t sequence,
                                const std::stop_token& stop) {
  PACO_ASSIGN(std::optional<CommittedGroup> found, find_group(log, stream, sequence, stop));
  if (found) return std::move(*found);
  return not_kept(stream, fmt::format("message {} of the decisions", sequence));
}

// Binary search: groups are in the order of their events.
Result<CommittedGroup> group_with(StreamLog& log, const std::string& stream, std::uint64_t event,
                                  std::uint64_t newest, const std::stop_token& stop) {
  std::uint64_t low = 1, high = newest;
  while (low <= high) {
    const std::uint64_t middle = low + (high - low) / 2;
    PACO_ASSIGN(std::optional<CommittedGroup> found, find_group(log, stream, middle, stop));
    if (!found || found->group.last() < event) {
      low = middle + 1;
    } else if (found->group.first > event) {
      high = middle - 1;
    } else {
      return std::move(*found);
    }
  }
  return not_kept(stream, fmt::format("the decision of event {}", event));
}

}  // namespace paco::bus
