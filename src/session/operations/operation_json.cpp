#include "session/operations/operation_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/try.hpp"

namespace paco::session {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 9> kCells{"category", "prototype", "name",   "forward", "retired",
                                            "owner",    "reference", "member", "verified"};

Json edit_json(const Edit& e) {
  Json json = {{"cell", kCells[static_cast<std::size_t>(e.cell)]}, {"id", e.id}};
  if (e.cell == Edit::Cell::name) {
    json["from"] = e.from_text;
    json["to"] = e.to_text;
    return json;
  }
  json["from"] = e.from;
  json["to"] = e.to;
  if (e.cell == Edit::Cell::member) {
    json["from_counted"] = e.from_counted;
    json["to_counted"] = e.to_counted;
  }
  if (e.cell == Edit::Cell::reference) json["row"] = e.row;
  if (e.cell == Edit::Cell::category || e.cell == Edit::Cell::prototype) json["birth"] = e.birth;
  return json;
}

Edit edit_from(const Json& json) {
  Edit e;
  const auto cell = json.at("cell").get<std::string>();
  std::size_t kind = 0;
  while (kind < kCells.size() && cell != kCells[kind]) ++kind;
  e.cell = static_cast<Edit::Cell>(kind);
  e.id = json.at("id").get<std::int64_t>();
  if (e.cell == Edit::Cell::name) {
    e.from_text = json.at("from").get<std::string>();
    e.to_text = json.at("to").get<std::string>();
    return e;
  }
  e.from = json.at("from").get<std::int64_t>();
  e.to = json.at("to").get<std::int64_t>();
  if (e.cell == Edit::Cell::member) {
    e.from_counted = json.at("from_counted").get<bool>();
    e.to_counted = json.at("to_counted").get<bool>();
  }
  if (e.cell == Edit::Cell::reference) e.row = json.at("row").get<std::vector<float>>();
  if (e.cell == Edit::Cell::category || e.cell == Edit::Cell::prototype)
    e.birth = json.at("birth").get<std::uint64_t>();
  return e;
}

// get() alone would truncate a fraction.
template <class Whole>
Whole whole(const Json& value) {
  if (!value.is_number_integer())
    throw Json::type_error::create(302, "a whole number is needed", &value);
  return value.get<Whole>();
}

template <class Whole>
std::vector<Whole> wholes(const Json& values) {
  std::vector<Whole> out;
  for (const Json& value : values.get_ref<const Json::array_t&>())
    out.push_back(whole<Whole>(value));
  return out;
}

// The keys of each kind besides "kind", "actor" and "key".
std::vector<std::string_view> keys_of(OperationKind kind) {
  switch (kind) {
    case OperationKind::rename:
      return {"category", "name"};
    case OperationKind::merge:
      return {"categories", "into"};
    case OperationKind::separate:
      return {"category", "prototypes", "name"};
    case OperationKind::move:
      return {"samples", "into", "name"};
    case OperationKind::promote:
      return {"category", "name"};
    case OperationKind::verify:
      return {"samples"};
    case OperationKind::undo:
      return {"event"};
    default:
      return {"category"};
  }
}

Error bad_request(const std::string& what, const std::string& hint) {
  return {ErrorCode::bad_argument, what, hint};
}

}  // namespace

Json operation_json(const Operation& o) {
  Json json = {{"kind", operation_name(o.kind)}};
  switch (o.kind) {
    case OperationKind::merge:
      json["categories"] = o.categories;
      json["into"] = o.category;
      break;
    case OperationKind::separate:
      json["category"] = o.category;
      json["prototypes"] = o.prototypes;
      break;
    case OperationKind::move:
      json["samples"] = o.samples;
      json["into"] = o.category < 0 ? Json("new") : Json(o.category);
      break;
    case OperationKind::verify:
      json["samples"] = o.samples;
      break;
    case OperationKind::undo:
      json["event"] = o.event;
      break;
    default:
      json["category"] = o.category;
  }
  if (!o.name.empty()) json["name"] = o.name;
  if (!o.actor.empty()) json["actor"] = o.actor;
  if (!o.key.empty()) json["key"] = o.key;
  return json;
}

Result<Operation> operation_from(const Json& json) {
  if (!json.is_object()) return bad_request("an operation is a JSON object", "");
  const auto kind = json.find("kind");
  if (kind == json.end() || !kind->is_string()) {
    return bad_request("the operation has no 'kind'", "e.g. {\"kind\": \"rename\", ...}");
  }
  const auto parsed = operation_kind(kind->get<std::string>());
  if (!parsed) {
    return bad_request(
        fmt::format("there is no operation '{}'", kind->get<std::string>()),
        "rename, merge, separate, move, promote, demote, retire, revive, verify or undo");
  }
  Operation o;
  o.kind = *parsed;
  const std::vector<std::string_view> keys = keys_of(o.kind);
  try {
    for (const auto& [key, value] : json.items()) {
      if (key == "kind") continue;
      if (key == "actor") {
        o.actor = value.get<std::string>();
        continue;
      }
      if (key == "key") {
        o.key = value.get<std::string>();
        continue;
      }
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        return bad_request(fmt::format("'{}' has no '{}'", operation_name(o.kind), key),
                           fmt::format("it takes: {}", fmt::join(keys, ", ")));
      }
      if (key == "category") o.category = whole<CategoryId>(value);
      if (key == "into") {
        o.category =
            value.is_string() && value == "new" ? CategoryId{-1} : whole<CategoryId>(value);
      }
      if (key == "categories") o.categories = wholes<CategoryId>(value);
      if (key == "prototypes") o.prototypes = wholes<PrototypeId>(value);
      if (key == "samples") o.samples = wholes<std::uint64_t>(value);
      if (key == "name") o.name = value.get<std::string>();
      if (key == "event") o.event = whole<std::uint64_t>(value);
    }
  } catch (const nlohmann::json::exception&) {
    return bad_request(
        fmt::format("a value of the operation '{}' is of the wrong type", operation_name(o.kind)),
        fmt::format("it takes: {}", fmt::join(keys, ", ")));
  }
  for (const std::string_view key : keys) {
    if (key == "name" && o.kind != OperationKind::rename) continue;
    if (json.contains(key)) continue;
    return bad_request(fmt::format("the operation '{}' needs '{}'", operation_name(o.kind), key),
                       "");
  }
  return o;
}

Json outcome_json(const OperationOutcome& outcome) {
  Json json = {{"event", outcome.event},
               {"sequence", outcome.sequence},
               {"kind", operation_name(outcome.operation.kind)},
               {"category", outcome.category < 0 ? Json() : Json(outcome.category)},
               {"text", outcome.text},
               {"time", outcome.time},
               {"actor", outcome.operation.actor},
               {"request", operation_json(outcome.operation)}};
  return json;
}

std::string outcome_record(const OperationOutcome& outcome) {
  Json edits = Json::array();
  for (const Edit& e : outcome.edits) edits.push_back(edit_json(e));
  const Json json = {{"text", outcome.text},
                     {"category", outcome.category},
                     {"edits", std::move(edits)},
                     {"builds", outcome.builds}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<void> read_outcome_record(const std::string& text, OperationOutcome& outcome) {
  try {
    const Json json = Json::parse(text);
    outcome.text = json.at("text").get<std::string>();
    outcome.category = json.at("category").get<CategoryId>();
    outcome.builds = json.at("builds").get<std::vector<std::uint64_t>>();
    outcome.edits.clear();
    for (const Json& e : json.at("edits")) outcome.edits.push_back(edit_from(e));
  } catch (const nlohmann::json::exception&) {
    return Error{ErrorCode::bad_format, "an operation of the journal cannot be read",
                 "verify the journal"};
  }
  return {};
}

}  // namespace paco::session
