// Which samples people confirmed: the marks that operations of a journal set and took away. No
// decision depends on them, so they are no part of a method's state.
#pragma once

#include <memory>
#include <span>

#include "journal/reader.hpp"
#include "paco/category.hpp"
#include "paco/operation.hpp"

namespace paco::session {

// After all operations of a journal.
Result<VerifiedSamples> verified_in(journal::JournalReader& journal);

// The same marks where the edits touch none of them, or a changed copy.
std::shared_ptr<const VerifiedSamples> with_edits(std::shared_ptr<const VerifiedSamples> before,
                                                  std::span<const Edit> edits);

}  // namespace paco::session
