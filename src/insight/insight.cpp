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
    PACO_ASSIGN(const std::vector<io::DecidedSample> page, journal.samples(next, count));
    if (page.empty()) break;
    for (const io::DecidedSample& sample : page) {
      members.add(sample.sequence, sample.prototype);
      series.add(sample);
    }
    next += page.size();
  }
  for (const OperationOutcome& outcome : operations) members.apply(outcome.edits);
  return {};
}

Json category_notes_json(const MemoryView& view, CategoryId id, const Directions& directions,
                         const Keywords& keywords) {
  const auto words = keywords.find(id);
  const CategoryInfo info = view.info(id);
  const std::string name = info.known || !view.categories[id].name.empty()
                               ? std::string()
                               : suggested_name(keywords, id);
  const std::optional<NearCategory> like =
      info.known ? std::nullopt : nearest_known(directions, id);
  return {{"keywords", words == keywords.end() ? Json::array() : Json(words->second)},
          {"suggested_name", name.empty() ? Json() : Json(name)},
          {"like", like ? Json{{"category", like->category},
                               {"name", view.categories.name(like->category)},
                               {"cosine", like->cosine}}
                        : Json()}};
}

Result<CategoryNotes> CategoryNotes::of(Session& session) {
  CategoryNotes out;
  out.directions_ = directions_of(session.method(), session.events());
  if (!session.has_journal()) return out;
  PACO_ASSIGN(journal::JournalReader journal, journal::JournalReader::open(session.path()));
  PACO_ASSIGN(const std::vector<OperationOutcome> operations, session.history());
  MemberIndex members;
  Series series(session.method().info().evidence);
  PACO_TRY(read_past(journal, session.samples(), operations, members, series));
  PACO_ASSIGN(out.keywords_, keywords_in(*session.view(), members, journal));
  return out;
}

Json CategoryNotes::json(const MemoryView& view, CategoryId id) const {
  return category_notes_json(view, id, directions_, keywords_);
}

Result<Insight> insight_of(Session& session) {
  const MethodInfo& method = session.method().info();
  MemberIndex members;
  Series series(method.evidence);
  std::optional<journal::JournalReader> journal;
  Keywords keywords;
  if (session.has_journal()) {
    PACO_ASSIGN(journal, journal::JournalReader::open(session.path()));
    PACO_ASSIGN(const std::vector<OperationOutcome> operations, session.history());
    PACO_TRY(read_past(*journal, session.samples(), operations, members, series));
    PACO_ASSIGN(keywords, keywords_in(*session.view(), members, *journal));
  }
  return insight_of(
      {method, session.events(), session.view(),
       std::make_shared<const Directions>(directions_of(session.method(), session.events())),
       members, series.steps(), journal ? &*journal : nullptr, std::move(keywords)});
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
