#include "bus/folding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/bytes.hpp"
#include "core/try.hpp"
#include "io/json.hpp"
#include "journal/checksum.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kMaxText = 2048;  // bytes of a refusal or an outcome, in a record

// Adds the event number of a sample to its attributes.
std::string with_event(const std::string& attributes, std::uint64_t event) {
  const std::size_t end = attributes.find_last_of('}');
  if (attributes.empty() || end == std::string::npos)
    return fmt::format("{{\"{}\":{}}}", kEventAttribute, event);
  const bool bare = attributes.find_first_not_of(" \t\r\n{") == end;
  return fmt::format("{}{}\"{}\":{}}}", attributes.substr(0, end), bare ? "" : ",", kEventAttribute,
                     event);
}

// Sanitises the attributes of foreign messages: they could contain an event number, not be an
// object, or be nested too deep to be written again.
std::string own_attributes(const std::string& attributes) {
  if (attributes.empty()) return {};
  auto json = io::parse_json<nlohmann::ordered_json>(attributes, "attributes");
  if (!json.ok() || !json->is_object()) return {};
  return json->erase(kEventAttribute) > 0 ? json->dump() : attributes;
}

}  // namespace

std::uint64_t chain_event(std::uint64_t chain, std::uint64_t sum) {
  std::string link;
  ByteWriter out(link);
  out.number(chain);
  out.number(sum);
  return journal::checksum_of(std::as_bytes(std::span(link)));
}

Result<void> Folding::start(const LogPosition& position) {
  evidence_ = state_.evidence();
  position_ = position;
  renamed_before_ = 0;
  if (state_.journal_events() <= position.journal) return {};
  PACO_ASSIGN(const std::vector<OperationOutcome> past, state_.history());
  if (!past.empty()) renamed_before_ = past.back().event + 1;
  return {};
}

// Decides the samples of a run; `records` has their records and those of refused events.
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
    attributes.push_back(with_event(own_attributes(sample.attributes), position_.event + 1 + i));
    pictures.push_back(sample.picture);
  }
  // A row that cannot be decided is refused; the rows after it are still decided.
  for (std::size_t at = 0; at < run.size();) {
    const std::size_t count = run.size() - at;
    const auto part = [&](const std::vector<std::string>& list) {
      return std::span(list).subspan(at, count);
    };
    decisions_.assign(count, {});
    const Rows<const double> rows{rows_.data() + at * dimension_, count, dimension_};
    PACO_ASSIGN(
        const Decided decided,
        state_.decide(rows, decisions_, {part(keys), part(ids), part(attributes), part(pictures)}));
    for (std::size_t i = 0; i < decided.rows; ++i)
      static_cast<Decision&>(*wanted[at + i]) = decisions_[i];
    at += decided.rows;
    if (!decided.refused) break;
    wanted[at]->kind = RecordKind::refused;
    wanted[at]->text = decided.refused->message.substr(0, kMaxText);
    ++at;
  }
  return {};
}

// Sets category names. The present names are those at the time of the event unless the journal has
// a later operation. In that case the event is committed already (an operation is folded only when
// all earlier events are committed), so its name is left out and not compared.
void Folding::name_categories(std::span<Folded> folded) {
  std::vector<CategoryId> categories;
  std::vector<Record*> records;
  for (Folded& one : folded) {
    if (one.record.kind != RecordKind::decided || one.after.journal < renamed_before_) continue;
    categories.push_back(one.record.category);
    records.push_back(&one.record);
  }
  if (records.empty()) return;
  std::vector<std::string> names = state_.category_names(categories);
  for (std::size_t i = 0; i < records.size(); ++i) records[i]->name = std::move(names[i]);
}

// When events are folded again, the journal may have this event's key from a later event. Then this
// event was refused at its time, or the journal does not belong to this log.
Result<void> Folding::refuse_again(const Event& event, Record& record) {
  if (record.kind != RecordKind::decided || record.sequence < position_.samples) return {};
  const std::optional<Error> refused = state_.refusal(std::get<SampleEvent>(event).embedding);
  if (!refused && record.sequence == position_.samples) return {};
  if (!refused) {
    return Error{ErrorCode::mismatch,
                 fmt::format("event {} is sample {} of the journal, and has to be sample {}: the "
                             "log lost events that the journal has",
                             position_.event, record.sequence, position_.samples),
                 "see which server came back without its store; what was decided stays in the "
                 "journal; to go on with what the log has, remove it and start anew"};
  }
  record.kind = RecordKind::refused;
  static_cast<Decision&>(record) = {};
  record.text = refused->message.substr(0, kMaxText);
  return {};
}

Result<std::vector<Folding::Folded>> Folding::samples(std::span<const LoggedEvent> events) {
  std::vector<Record> records;
  std::vector<const SampleEvent*> run;
  records.reserve(events.size());
  for (const auto& [event, chain, sum] : events) {
    Record& record = records.emplace_back();
    if (!event.ok()) {
      record.text = event.error().message.substr(0, kMaxText);
      continue;
    }
    const auto* sample = std::get_if<SampleEvent>(&*event);
    if (sample == nullptr) {
      records.pop_back();
      break;
    }
    record.key = sample->key;
    record.sample = sample->id;
    if (sample->embedding.size() != dimension_) {
      record.text =
          fmt::format("has {} values, the model expects {}", sample->embedding.size(), dimension_);
    } else {
      record.kind = RecordKind::decided;
      run.push_back(sample);
    }
  }
  const bool again = state_.journal_events() > position_.journal;
  PACO_TRY(decide(run, records));
  std::vector<Folded> out;
  out.reserve(records.size());
  for (Record& record : records) {
    const LoggedEvent& logged = events[out.size()];
    position_.chain = logged.chain;
    position_.sum = logged.sum;
    ++position_.event;
    if (again && logged.event.ok()) PACO_TRY(refuse_again(*logged.event, record));
    if (record.kind == RecordKind::decided && record.sequence == position_.samples) {
      ++position_.samples;
      ++position_.journal;
    }
    out.push_back({std::move(record), position_});
  }
  name_categories(out);
  return out;
}

// If the journal has this operation at this number, it was carried out before the replica was
// killed. If it has another event there, the operation was refused.
Result<OperationOutcome> Folding::carry_out(const std::string& json) {
  const auto parsed = io::parse_json<nlohmann::ordered_json>(json, "operation");
  if (!parsed.ok()) return Error{ErrorCode::bad_format, "is no JSON", ""};
  PACO_ASSIGN(const Operation operation, session::operation_from(*parsed));
  if (position_.journal >= state_.journal_events()) return state_.apply(operation);
  PACO_ASSIGN(const std::vector<OperationOutcome> past, state_.history());
  for (const OperationOutcome& outcome : past) {
    if (outcome.event == position_.journal &&
        session::operation_json(outcome.operation) == session::operation_json(operation))
      return outcome;
  }
  return Error{ErrorCode::bad_value, "was refused before", ""};
}

Result<Folding::Folded> Folding::operation(const LoggedEvent& event) {
  Record record;
  const Result<OperationOutcome> outcome = carry_out(std::get<OperationEvent>(*event.event).json);
  if (!outcome.ok()) {
    // A disk error is not a property of the event.
    if (outcome.error().code == ErrorCode::io || outcome.error().code == ErrorCode::out_of_memory)
      return outcome.error();
    record.text = outcome.error().message.substr(0, kMaxText);
  } else {
    record.kind = RecordKind::operated;
    record.text = outcome->text.substr(0, kMaxText);
    record.session = outcome->event;
    ++position_.journal;
  }
  ++position_.event;
  position_.chain = event.chain;
  position_.sum = event.sum;
  return Folded{std::move(record), position_};
}

Result<std::string> Folding::digest() {
  if (state_.journal_events() != position_.journal) return std::string();
  return state_.digest();
}

}  // namespace paco::bus
