#include "bus/decisions.hpp"

#include <fmt/format.h>

#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

// By its number; 0: the last one.
Result<std::optional<Heard>> group_at(const Connection& connection, const std::string& stream,
                                      std::uint64_t sequence, const std::stop_token& stop) {
  const std::string jetstream = jetstream_of(stream, Part::decisions);
  const std::string subject = subject_of(stream, Part::decisions);
  natsMsg* raw = nullptr;
  bool absent = false;
  PACO_TRY(connection.retry(fmt::format("reading {}", jetstream), stop, [&](jsErrCode* code) {
    jsCtx* js = connection.js();
    const natsStatus status =
        sequence == 0 ? js_GetLastMsg(&raw, js, jetstream.c_str(), subject.c_str(), nullptr, code)
                      : js_GetMsg(&raw, js, jetstream.c_str(), sequence, nullptr, code);
    absent = *code == JSNoMessageFoundErr;
    return absent ? NATS_OK : status;
  }));
  if (absent) return std::optional<Heard>();
  const Message message(raw);
  PACO_ASSIGN(Heard heard, heard_of(stream, raw));
  return std::optional<Heard>(std::move(heard));
}

}  // namespace

Result<Heard> heard_of(const std::string& stream, natsMsg* message) {
  const std::uint64_t sequence = sequence_of(message);
  const std::string name =
      fmt::format("{}, message {}", subject_of(stream, Part::decisions), sequence);
  PACO_ASSIGN(Group group, parse_group(bytes_of(message), name));
  return Heard{std::move(group), sequence};
}

Result<std::optional<Heard>> newest_group(const Connection& connection, const std::string& stream,
                                          const std::stop_token& stop) {
  return group_at(connection, stream, 0, stop);
}

// By halving: groups stand in the order of their events.
Result<Heard> group_with(const Connection& connection, const std::string& stream,
                         std::uint64_t event, std::uint64_t newest, const std::stop_token& stop) {
  std::uint64_t low = 1, high = newest;
  while (low <= high) {
    const std::uint64_t middle = low + (high - low) / 2;
    PACO_ASSIGN(std::optional<Heard> found, group_at(connection, stream, middle, stop));
    if (!found || found->group.last() < event) {
      low = middle + 1;
    } else if (found->group.first > event) {
      high = middle - 1;
    } else {
      return std::move(*found);
    }
  }
  return Error{ErrorCode::not_found,
               fmt::format("stream '{}': the decision of event {} is not kept", stream, event),
               "begin with a later event, or with a journal or a snapshot that goes further"};
}

}  // namespace paco::bus
