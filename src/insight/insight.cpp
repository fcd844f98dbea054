#include "insight/insight.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "insight/diagnostics.hpp"
#include "session/journal_rows.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::insight {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPage = 4096;

}  // namespace

Insight insight_of(const StreamFacts& facts) {
  Insight out;
  out.events = facts.events;
  Diagnostics diagnostics(facts, out);
  diagnostics.suggest();
  diagnostics.warn();
  return out;
}

Result<void> read_past(journal::JournalReader& journal, std::uint64_t samples,
                       const std::vector<OperationOutcome>& operations, MemberIndex& members,
                       Series& series) {
  for (std::uint64_t next = 0; next < samples;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kPage, samples - next));
    PACO_ASSIGN(const std::vector<journal::StoredSample> page, journal.samples(next, count));
    if (page.empty()) break;
    for (const journal::StoredSample& sample : page) {
      members.add(sample.sequence, sample.prototype);
      series.add(session::decision_of(sample));
    }
    next += page.size();
  }
  for (const OperationOutcome& outcome : operations) members.apply(outcome.edits);
  return {};
}

Result<Insight> insight_of(Session& session) {
  const MethodInfo& method = session.method().info();
  MemberIndex members;
  Series series(method.evidence);
  std::optional<journal::JournalReader> journal;
  if (session.has_journal()) {
    PACO_ASSIGN(journal, journal::JournalReader::open(session.path()));
    PACO_ASSIGN(const std::vector<OperationOutcome> operations, session.history());
    PACO_TRY(read_past(*journal, session.samples(), operations, members, series));
  }
  return insight_of(
      {method, session.events(), session.view(),
       std::make_shared<const Directions>(directions_of(session.method(), session.events())),
       members, series.steps(), journal ? &*journal : nullptr});
}

Json insight_json(const Insight& insight, const MemoryView& view) {
  Json suggestions = Json::array(), warnings = Json::array(), names = Json::object();
  for (const Suggestion& s : insight.suggestions) {
    suggestions.push_back(
        {{"id", s.id},
         {"kind", s.kind},
         {"reason", s.reason},
         {"strength", s.strength},
         {"operation", s.operation ? session::operation_json(*s.operation) : Json()},
         {"categories", s.categories},
         {"samples", s.samples}});
    for (const CategoryId id : s.categories) names[std::to_string(id)] = view.categories.name(id);
  }
  for (const Warning& w : insight.warnings) {
    warnings.push_back({{"id", w.id},
                        {"kind", w.kind},
                        {"text", w.text},
                        {"category", w.category ? Json(*w.category) : Json()},
                        {"since", w.since}});
  }
  return {{"event", insight.events},
          {"suggestions", std::move(suggestions)},
          {"warnings", std::move(warnings)},
          {"names", std::move(names)}};
}

}  // namespace paco::insight
