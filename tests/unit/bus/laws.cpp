#include "laws.hpp"

#include <fmt/format.h>

#include <set>

#include "bus/event.hpp"
#include "io/json.hpp"
#include "session/operations/operation_json.hpp"
#include "toy_state.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kEvidence = 0;

// What has to become of an event. Plain rules, not those of folding.cpp.
class Reference {
 public:
  Record decide(const std::string& bytes) {
    Record record;
    const Result<Event> event = parse_event(bytes);
    if (!event.ok()) return record;
    if (const auto* operation = std::get_if<OperationEvent>(&*event)) {
      const auto json = io::parse_json<nlohmann::ordered_json>(operation->json, "operation");
      const Result<OperationOutcome> outcome = state_.apply(*session::operation_from(*json));
      if (!outcome.ok()) return record;
      record.kind = RecordKind::operated;
      record.text = outcome->text;
      record.session = outcome->event;
      return record;
    }
    const auto& sample = std::get<SampleEvent>(*event);
    record.key = sample.key;
    if (sample.embedding.size() != 1) return record;
    const std::string attributes = R"({"bus_event":1})";
    const Result<Decided> decided =
        state_.decide({sample.embedding.data(), 1, 1}, {static_cast<Decision*>(&record), 1},
                      {{&sample.key, 1}, {}, {&attributes, 1}});
    if (decided->refused) return record;
    repeated += decided->repeated;
    record.kind = RecordKind::decided;
    record.name = state_.category_names({&record.category, 1})[0];
    return record;
  }
  std::string digest() { return *state_.digest(); }

  std::uint64_t repeated = 0;

 private:
  ToyState state_;
};

}  // namespace

void Laws::observe(const std::string& reader, const Group& group) {
  std::uint64_t event = group.first;
  for (const Record& record : group.records) {
    const auto [at, first] = observed_.try_emplace(event, reader, record);
    const auto& [other, before] = at->second;
    if (!first && !before.same_as(record, kEvidence)) {
      violate(
          fmt::format("a paused publisher cannot contradict its successor: event {} was '{}' for "
                      "{} and is '{}' for {}",
                      event, before.describe(), other, record.describe(), reader));
    }
    ++event;
  }
}

void Laws::answered(const std::string& server, const std::string& key, const Decision& decision,
                    const SimulatedServers& servers) {
  answered_.try_emplace(key, decision.sequence);
  const auto& groups = servers.decisions.messages();
  const std::uint64_t committed =
      groups.empty() ? 0 : parse_group(*groups.back().bytes, "decisions")->samples;
  if (decision.sequence >= committed) {
    violate(
        fmt::format("a paused publisher cannot contradict its successor: {} answers '{}' with "
                    "sample {}, {} are committed",
                    server, key, decision.sequence, committed));
  } else if (answered_[key] != decision.sequence) {
    violate(fmt::format("every sample once: '{}' was answered with sample {}, {} answers {}", key,
                        answered_[key], server, decision.sequence));
  }
}

void Laws::check_logs(const SimulatedServers& servers) {
  const auto& events = servers.events.messages();
  std::set<std::string> names;
  for (const auto& event : events) names.insert(event.name);
  for (const std::string& name : servers.acknowledged) {
    if (name != "decisions" && !names.contains(name))
      return violate(fmt::format("every sample once: '{}' was acknowledged and is no event", name));
  }
  Reference reference;
  std::uint64_t next = 1;
  for (const auto& message : servers.decisions.messages()) {
    const Result<Group> group = parse_group(*message.bytes, "decisions");
    if (!group.ok() || group->first != next || group->last() > events.size()) {
      return violate(
          fmt::format("every sample once: a group begins with event {}, {} is next of {}",
                      group.ok() ? group->first : 0, next, events.size()));
    }
    observe("the log", *group);
    for (const Record& record : group->records) {
      const Record expected = reference.decide(*events[next - 1].bytes);
      // Two records are the same if one does not know the name; what is published must have it.
      if (!record.same_as(expected, kEvidence) || record.name != expected.name) {
        return violate(fmt::format("every sample once: event {} is '{}', and has to be '{}'", next,
                                   record.describe(), expected.describe()));
      }
      const auto answer = answered_.find(record.key);
      if (record.kind == RecordKind::decided && answer != answered_.end() &&
          answer->second != record.sequence) {
        return violate(fmt::format("every sample once: '{}' was answered with sample {}, and is {}",
                                   record.key, answer->second, record.sequence));
      }
      ++next;
    }
  }
  if (next != events.size() + 1)
    return violate(
        fmt::format("every sample once: {} of {} events are decided", next - 1, events.size()));
  repeated = reference.repeated;
  digest_ = reference.digest();
}

void Laws::check_state(const std::string& replica, const std::string& digest) {
  if (digest != digest_)
    violate(fmt::format("replicas agree: {} ends with state {}, the events give {}", replica,
                        digest, digest_));
}

}  // namespace paco::bus
