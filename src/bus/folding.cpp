#include "bus/folding.hpp"

#include <fmt/format.h>

#include "core/try.hpp"
#include "io/json.hpp"
#include "session/operations/operation_json.hpp"
#include "session/session_parts.hpp"

namespace paco::bus {
namespace {

constexpr const char* kEventKey = "bus_event";
constexpr std::size_t kMostWords = 2048;  // of a refusal or an outcome, in a record

// The event number among a sample's attributes: what its journal says of where it came from.
std::string with_event(const std::string& attributes, std::uint64_t event) {
  const std::size_t end = attributes.find_last_of('}');
  if (attributes.empty() || end == std::string::npos)
    return fmt::format("{{\"{}\":{}}}", kEventKey, event);
  const bool bare = attributes.find_first_not_of(" \t\r\n{") == end;
  return fmt::format("{}{}\"{}\":{}}}", attributes.substr(0, end), bare ? "" : ",", kEventKey,
                     event);
}

// Attributes of a stranger could carry an event number of their own, be no object, or be nested so
// deep that nobody could write them again.
std::string own_attributes(const std::string& attributes) {
  if (attributes.empty()) return {};
  auto json = io::parse_json<nlohmann::ordered_json>(attributes, "attributes");
  if (!json.ok() || !json->is_object()) return {};
  return json->erase(kEventKey) > 0 ? json->dump() : attributes;
}

}  // namespace

Result<Place> place_of(Session& session) {
  Place place;
  place.samples = session.samples();
  if (place.samples == 0) return place;
  journal::Journal& journal = *session.parts().journal;
  PACO_ASSIGN(const auto last, journal.sample(place.samples - 1));
  PACO_ASSIGN(const journal::Extras extras, journal.extras(place.samples - 1, false));
  const nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(extras.attributes, nullptr, false);
  if (!last || !json.is_object() || !json.contains(kEventKey) ||
      !json[kEventKey].is_number_unsigned()) {
    return Error{ErrorCode::mismatch,
                 fmt::format("{}: its last sample did not come from the bus", session.path()),
                 "a replica needs a journal of its own: name one that is not there"};
  }
  place.event = json[kEventKey].get<std::uint64_t>();
  place.journal = last->event + 1;
  return place;
}

Result<void> Folding::start() {
  holder_.ask([&](Session& session) { evidence_ = session.method().info().evidence.size(); });
  return {};
}

// The samples of a run; `records` has theirs among others.
Result<void> Folding::decide(std::span<const SampleEvent* const> run, std::span<Record> records) {
  std::vector<Record*> wanted;
  std::vector<std::string> keys, ids, attributes, pictures;
  rows_.clear();
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].kind != RecordKind::decided) continue;
    const SampleEvent& sample = *run[wanted.size()];
    wanted.push_back(&records[i]);
    rows_.insert(rows_.end(), sample.embedding.begin(), sample.embedding.end());
    keys.push_back(sample.key);
    ids.push_back(sample.id);
    attributes.push_back(with_event(own_attributes(sample.attributes), place_.event + 1 + i));
    pictures.push_back(sample.picture);
  }
  // A row that cannot be decided is refused, and those after it go on.
  for (std::size_t at = 0; at < run.size();) {
    const std::size_t count = run.size() - at;
    const auto part = [&](const std::vector<std::string>& list) {
      return std::span(list).subspan(at, count);
    };
    decisions_.assign(count, {});
    const Rows<const double> rows{rows_.data() + at * dimension_, count, dimension_};
    PACO_ASSIGN(const Decided decided,
                holder_.decide(rows, decisions_,
                               {part(keys), part(ids), part(attributes), part(pictures)}));
    for (std::size_t i = 0; i < decided.rows; ++i) wanted[at + i]->decision = decisions_[i];
    at += decided.rows;
    if (!decided.refused) break;
    wanted[at]->kind = RecordKind::refused;
    wanted[at]->text = decided.refused->message.substr(0, kMostWords);
    ++at;
  }
  return {};
}

Result<std::vector<Record>> Folding::samples(std::span<const Result<Event>> events) {
  std::vector<Record> records;
  std::vector<const SampleEvent*> run;
  records.reserve(events.size());
  for (const Result<Event>& event : events) {
    Record& record = records.emplace_back();
    if (!event.ok()) {
      record.text = event.error().message.substr(0, kMostWords);
      continue;
    }
    const auto* sample = std::get_if<SampleEvent>(&*event);
    if (sample == nullptr) {
      records.pop_back();
      break;
    }
    record.key = sample->key;
    record.id = sample->id;
    if (sample->embedding.size() != dimension_) {
      record.text =
          fmt::format("has {} values, the model expects {}", sample->embedding.size(), dimension_);
    } else {
      record.kind = RecordKind::decided;
      run.push_back(sample);
    }
  }
  PACO_TRY(decide(run, records));
  holder_.ask([&](Session& session) {
    for (Record& record : records) {
      if (record.kind == RecordKind::decided)
        record.category = session.method().categories().name(record.decision.category);
    }
  });
  for (const Record& record : records) {
    ++place_.event;
    if (record.kind != RecordKind::decided || record.decision.sequence != place_.samples) continue;
    ++place_.samples;
    ++place_.journal;
  }
  return records;
}

// An operation that the journal has at this very place was carried out before the replica was
// killed. Where it has another one there, this one was refused then.
Result<OperationOutcome> Folding::carry_out(const std::string& json) {
  const auto parsed = io::parse_json<nlohmann::ordered_json>(json, "operation");
  if (!parsed.ok()) return Error{ErrorCode::bad_format, "is no JSON", ""};
  PACO_ASSIGN(const Operation operation, session::operation_from(*parsed));
  std::uint64_t there = 0;
  Result<std::vector<OperationOutcome>> past = std::vector<OperationOutcome>();
  holder_.ask([&](Session& session) {
    there = session.events();
    if (place_.journal < there) past = session.history();
  });
  if (place_.journal >= there) return holder_.apply(operation);
  PACO_TRY(past);
  for (const OperationOutcome& outcome : *past) {
    if (outcome.event == place_.journal &&
        session::operation_json(outcome.operation) == session::operation_json(operation))
      return outcome;
  }
  return Error{ErrorCode::bad_value, "was refused before", ""};
}

Result<Record> Folding::operation(const OperationEvent& event) {
  Record record;
  const Result<OperationOutcome> outcome = carry_out(event.json);
  if (!outcome.ok()) {
    // A disk that fails is no property of the event.
    if (outcome.error().code == ErrorCode::io || outcome.error().code == ErrorCode::out_of_memory)
      return outcome.error();
    record.text = outcome.error().message.substr(0, kMostWords);
  } else {
    record.kind = RecordKind::operated;
    record.text = outcome->text.substr(0, kMostWords);
    record.session = outcome->event;
    ++place_.journal;
  }
  ++place_.event;
  return record;
}

Result<std::string> Folding::digest() {
  Result<std::string> digest = std::string();
  holder_.ask([&](Session& session) {
    if (session.events() == place_.journal) digest = session.digest();
  });
  return digest;
}

}  // namespace paco::bus
