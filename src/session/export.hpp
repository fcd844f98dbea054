// Exports a journal into files: its decisions, or everything.
#pragma once

#include <string>

#include "io/decision_file.hpp"
#include "journal/journal.hpp"
#include "paco/session.hpp"

namespace paco::session {

// Writes the samples that a session with a journal has decided so far.
Result<void> write_recorded(Session& session, io::DecisionWriter& writer);
// The same, into a new file.
Result<void> export_decisions(Session& session, const std::string& path);

// Exports into a new folder: model.paco, decisions.csv, operations.jsonl, categories.csv,
// embeddings.npy (as far as embeddings are kept), and state.paco of the newest snapshot. Returns
// the files with their numbers of rows.
struct Exported {
  std::string file;
  std::uint64_t rows = 0;
};
Result<std::vector<Exported>> export_journal(journal::Journal& journal, const std::string& folder);

}  // namespace paco::session
