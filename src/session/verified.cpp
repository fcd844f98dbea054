#include "session/verified.hpp"

#include <algorithm>

#include "core/try.hpp"
#include "session/journal_rows.hpp"

namespace paco::session {
namespace {

constexpr std::size_t kOperationsPage = 1024;

void set_marks(VerifiedSamples& marks, std::span<const Edit> edits) {
  for (const Edit& e : edits) {
    if (e.cell == Edit::Cell::verified) marks.set(static_cast<std::uint64_t>(e.id), e.to);
  }
}

}  // namespace

Result<VerifiedSamples> verified_in(journal::JournalReader& journal) {
  VerifiedSamples marks;
  for (std::uint64_t from = 0;;) {
    PACO_ASSIGN(const std::vector<journal::OperationRow> page,
                journal.operations(from, kOperationsPage));
    if (page.empty()) return marks;
    for (const journal::OperationRow& row : page) {
      PACO_ASSIGN(const OperationOutcome outcome, outcome_of(row));
      set_marks(marks, outcome.edits);
    }
    from = page.back().event + 1;
  }
}

std::shared_ptr<const VerifiedSamples> with_edits(std::shared_ptr<const VerifiedSamples> before,
                                                  std::span<const Edit> edits) {
  const auto is_mark = [](const Edit& e) { return e.cell == Edit::Cell::verified; };
  if (std::none_of(edits.begin(), edits.end(), is_mark)) return before;
  auto after = std::make_shared<VerifiedSamples>(*before);
  set_marks(*after, edits);
  return after;
}

}  // namespace paco::session
