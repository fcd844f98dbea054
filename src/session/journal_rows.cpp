#include "session/journal_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::session {
namespace {

using Json = nlohmann::ordered_json;

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

}  // namespace

double time_of_day() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

journal::JournalSettings journal_settings(const Method& method, const JournalOptions& options) {
  journal::JournalSettings settings;
  settings.method = method.name();
  settings.options = Json(method.settings()).dump();
  settings.model = method.model().fingerprint();
  settings.created = time_of_day();
  settings.dimension = method.model().dimension;
  for (int v = 0; v < 4; ++v) settings.verdicts.emplace_back(verdict_name(static_cast<Verdict>(v)));
  for (const EvidenceField& field : method.info().evidence) {
    settings.evidence.push_back({std::string(field.name),
                                 std::string(field.meaning),
                                 !field.choices.empty(),
                                 {field.choices.begin(), field.choices.end()}});
  }
  settings.retention.snapshot_samples = options.snapshot_samples;
  settings.retention.embeddings = options.embeddings;
  return settings;
}

Result<Settings> settings_of(const journal::JournalSettings& journal, const std::string& path) {
  Settings settings;
  try {
    const Json json = Json::parse(journal.options);
    for (const auto& [name, value] : json.items()) settings[name] = value.get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return Error{ErrorCode::bad_format, fmt::format("{}: its options cannot be read", path),
                 "verify the journal"};
  }
  return settings;
}

bool same_answer(const Decision& a, const Decision& b, std::size_t evidence) {
  if (a.sequence != b.sequence || a.category != b.category || a.prototype != b.prototype ||
      a.runner_up != b.runner_up || a.verdict != b.verdict || a.counted != b.counted ||
      !same(a.score, b.score) || !same(a.threshold, b.threshold)) {
    return false;
  }
  return std::equal(a.evidence.begin(), a.evidence.begin() + static_cast<std::ptrdiff_t>(evidence),
                    b.evidence.begin(), same);
}

journal::CategoryRow category_row(const Method& method, CategoryId id, std::uint64_t born) {
  const Categories& categories = method.categories();
  const Category& category = categories[id];
  journal::CategoryRow row;
  row.id = id;
  row.name = categories.name(id);
  row.kind = "discovered";
  for (const PrototypeId p : category.prototypes) {
    if (method.is_reference(p)) row.kind = "known";
  }
  row.now = category.forward == kNoId ? id : categories.now(id);
  row.retired = category.retired || !category.exists;
  row.born = born;
  row.prototypes = category.prototypes;
  return row;
}

journal::OperationRow operation_row(const OperationOutcome& outcome) {
  journal::OperationRow row;
  row.event = outcome.event;
  row.sequence = outcome.sequence;
  row.time = outcome.time;
  row.actor = outcome.operation.actor;
  row.kind = operation_name(outcome.operation.kind);
  row.request =
      operation_json(outcome.operation).dump(-1, ' ', false, Json::error_handler_t::replace);
  row.outcome = outcome_record(outcome);
  if (outcome.operation.kind == OperationKind::undo) row.undoes = outcome.operation.event;
  return row;
}

Result<OperationOutcome> outcome_of(const journal::OperationRow& row) {
  OperationOutcome outcome;
  outcome.event = row.event;
  outcome.sequence = row.sequence;
  outcome.time = row.time;
  PACO_TRY(read_outcome_record(row.outcome, outcome));
  const Json request = Json::parse(row.request, nullptr, false);
  PACO_ASSIGN(outcome.operation, operation_from(request));
  outcome.operation.actor = row.actor;
  return outcome;
}

}  // namespace paco::session
