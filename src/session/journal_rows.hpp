// Converts between the types of a session and the rows of a journal.
#pragma once

#include <vector>

#include "journal/journal.hpp"
#include "paco/method.hpp"
#include "paco/session.hpp"

namespace paco::session {

// Seconds since 1970, as journals keep them.
double time_of_day();

journal::JournalSettings journal_settings(const Method& method, const JournalOptions& options);
// The options of the deciding stage, as they were when the journal was created.
Result<Settings> settings_of(const journal::JournalSettings& journal, const std::string& path);

// Whether all fields that a journal stores are equal, bit for bit.
bool same_answer(const Decision& a, const Decision& b, std::size_t evidence);

journal::CategoryRow category_row(const Method& method, CategoryId id, std::uint64_t born);

journal::OperationRow operation_row(const OperationOutcome& outcome);
Result<OperationOutcome> outcome_of(const journal::OperationRow& row);

}  // namespace paco::session
