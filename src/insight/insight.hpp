// Suggestions for the user of a stream, and warnings about unusual behaviour, from the method's own
// evidence. docs/reference/serve.md describes the computations and their numbers.
//
//   PACO_ASSIGN(const Insight insight, insight_of(session));     // reads the journal once
//   for (const Suggestion& s : insight.suggestions) ...          // the best first
//
// A program that already has the members and the series of a stream in memory passes them in
// StreamFacts.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "insight/directions.hpp"
#include "insight/keywords.hpp"
#include "insight/member_index.hpp"
#include "insight/series.hpp"
#include "journal/reader.hpp"
#include "paco/session.hpp"

namespace paco::insight {

struct Suggestion {
  std::string id, kind, reason;  // kind: merge, name or look
  double strength = 0;           // 0 .. 1
  std::optional<Operation> operation;
  std::vector<CategoryId> categories;
  std::vector<std::uint64_t> samples;
};

struct Warning {
  std::string id, kind, text;  // kind: births_rise, known_sinks, unlike_support
  std::optional<CategoryId> category;
  std::uint64_t since = 0;  // sequence number
};

struct Insight {
  std::uint64_t events = 0;
  std::vector<Suggestion> suggestions;  // merges, names, looks; of each the strongest first
  std::vector<Warning> warnings;
};

// The input of insight. All parts must be of about the same moment.
struct StreamFacts {
  const MethodInfo& method;
  std::uint64_t events = 0;
  std::shared_ptr<const MemoryView> view;
  std::shared_ptr<const Directions> directions;
  const MemberIndex& members;
  std::vector<SeriesStep> steps;
  journal::JournalReader* journal = nullptr;  // null: no sample is suggested
  Keywords keywords = {};
};

Insight insight_of(const StreamFacts& facts);
// Insight for a session between two calls. If there is a journal, it reads all samples once.
Result<Insight> insight_of(Session& session);

// Fills the members and the series of the first `samples` samples, then applies the operations.
Result<void> read_past(journal::JournalReader& journal, std::uint64_t samples,
                       const std::vector<OperationOutcome>& operations, MemberIndex& members,
                       Series& series);

// The information about a category besides its figures: {"keywords", "suggested_name", "like"}. The
// last two are for discovered categories: a suggested name if the user has not named it, and the
// nearest known class.
nlohmann::ordered_json category_notes_json(const MemoryView& view, CategoryId id,
                                           const Directions& directions, const Keywords& keywords);
// The same for a session between two calls, for many categories. Reads the journal once.
class CategoryNotes {
 public:
  static Result<CategoryNotes> of(Session& session);
  nlohmann::ordered_json json(const MemoryView& view, CategoryId id) const;

 private:
  Directions directions_;
  Keywords keywords_;
};

// {"event", "suggestions", "warnings", "names"}; names are of the categories in suggestions.
nlohmann::ordered_json insight_json(const Insight& insight, const MemoryView& view);

}  // namespace paco::insight
