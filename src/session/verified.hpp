// Which samples people confirmed: the marks set and removed by the operations of a journal.
// Decisions do not depend on them, so they are not part of a method's state.
#pragma once

#include <memory>
#include <span>

#include "journal/reader.hpp"
#include "paco/category.hpp"
#include "paco/operation.hpp"

namespace paco::session {

// The marks after all operations of a journal.
Result<VerifiedSamples> verified_in(journal::JournalReader& journal);

// Returns the same marks if no edit changes one, otherwise a changed copy.
std::shared_ptr<const VerifiedSamples> with_edits(std::shared_ptr<const VerifiedSamples> before,
                                                  std::span<const Edit> edits);

}  // namespace paco::session
