// One file by http or https into NAME.part, by libcurl. What is there from an earlier attempt is
// kept and the rest is asked for; a server that ignores this sends the whole anew. It verifies
// nothing.
//
// libcurl is opened when something is downloaded, and not linked: the twenty libraries that it
// brings would make every start of the program longer.
#pragma once

#include <stop_token>
#include <string>

#include "core/progress.hpp"
#include "paco/result.hpp"

namespace paco {

// `path` is the name without ".part". Only servers of https are followed from an address of https.
// ErrorCode::not_found: there is no libcurl. ErrorCode::interrupted: what came stays.
Result<void> download(const std::string& address, const std::string& path, core::Progress& progress,
                      const std::stop_token& stop);

}  // namespace paco
