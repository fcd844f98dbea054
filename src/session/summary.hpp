// Summaries of a calibration or a stream, as JSON and as text. The keys are promised (PROMISES.md);
// every client of a session uses these summaries.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "paco/model.hpp"
#include "paco/session.hpp"

namespace paco::session {

// Statistics of one run over a stream.
struct StreamOutcome {
  std::uint64_t samples = 0;     // decided in this run
  std::uint64_t repeated = 0;    // answered by their key
  std::uint64_t skipped = 0;     // bad rows that were skipped
  double seconds = 0;            // reading and writing included
  double deciding_seconds = 0;   // standardising and deciding; with a journal, also writing it
  bool interrupted = false;      // stopped early
  std::optional<Error> refused;  // the row that ended it
};

nlohmann::ordered_json stream_summary_json(Session& session, const StreamOutcome& outcome);
std::string stream_summary_text(Session& session, const StreamOutcome& outcome);

nlohmann::ordered_json calibration_json(const Model& model);
std::string calibration_text(const Model& model);

// One category as JSON, and a table of them.
nlohmann::ordered_json category_json(const MemoryView& view, CategoryId id);
std::string category_table(const MemoryView& view, std::span<const CategoryId> ids);

}  // namespace paco::session
