#include "bus/stream_state.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "journal/reader.hpp"

namespace paco::bus {
namespace {

Result<JournalEnd> end_of(Session& session) {
  JournalEnd end{0, session.samples(), session.events()};
  if (end.samples == 0) return end;
  PACO_ASSIGN(journal::JournalReader journal, journal::JournalReader::open(session.path()));
  PACO_ASSIGN(const journal::Extras extras, journal.extras(end.samples - 1, false));
  const nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(extras.attributes, nullptr, false);
  if (!json.is_object() || !json.contains(kEventAttribute) ||
      !json[kEventAttribute].is_number_unsigned()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: its last sample did not come from the bus", session.path()),
                 "a replica needs a journal of its own: name one that is not there"};
  }
  end.event = json[kEventAttribute].get<std::uint64_t>();
  return end;
}

}  // namespace

std::optional<Error> SessionState::refusal(std::span<const double> embedding) {
  std::optional<Error> refused;
  run([&](Session& session) { refused = session.method().check(embedding); });
  return refused;
}

Result<std::vector<OperationOutcome>> SessionState::history() {
  Result<std::vector<OperationOutcome>> past = std::vector<OperationOutcome>();
  run([&](Session& session) { past = session.history(); });
  return past;
}

Result<JournalEnd> SessionState::journal_end() {
  Result<JournalEnd> end = JournalEnd{};
  run([&](Session& session) { end = end_of(session); });
  return end;
}

std::size_t SessionState::evidence() {
  std::size_t count = 0;
  run([&](Session& session) { count = session.method().info().evidence.size(); });
  return count;
}

std::vector<std::string> SessionState::category_names(std::span<const CategoryId> categories) {
  std::vector<std::string> names;
  run([&](Session& session) {
    for (const CategoryId category : categories)
      names.push_back(session.method().categories().name(category));
  });
  return names;
}

std::uint64_t SessionState::journal_events() {
  std::uint64_t events = 0;
  run([&](Session& session) { events = session.events(); });
  return events;
}

Result<std::string> SessionState::digest() {
  Result<std::string> digest = std::string();
  run([&](Session& session) { digest = session.digest(); });
  return digest;
}

}  // namespace paco::bus
