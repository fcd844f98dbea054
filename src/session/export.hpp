// Out of a journal into files: its decisions, and everything else.
#pragma once

#include <string>

#include "io/decision_file.hpp"
#include "journal/journal.hpp"
#include "paco/session.hpp"

namespace paco::session {

// The samples that a session with a journal has decided so far.
Result<void> write_recorded(Session& session, io::DecisionWriter& writer);
// The same as a file.
Result<void> export_decisions(Session& session, const std::string& path);

// Into a new folder: model.paco, decisions.csv, operations.jsonl, categories.csv, embeddings.npy as
// far as they are kept, state.paco of the newest snapshot. What is exported, with numbers of rows.
struct Exported {
  std::string file;
  std::uint64_t rows = 0;
};
Result<std::vector<Exported>> export_journal(journal::Journal& journal, const std::string& folder);

}  // namespace paco::session
