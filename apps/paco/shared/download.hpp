// Downloads one file by http or https into NAME.part, with libcurl. An earlier partial download is
// resumed; if the server does not support that, the whole file is downloaded. The contents are not
// verified.
//
// libcurl is loaded on the first download instead of linked: its twenty dependencies would slow
// down every start of the program.
#pragma once

#include <stop_token>
#include <string>

#include "core/progress.hpp"
#include "paco/result.hpp"

namespace paco {

// `path` is the name without ".part". Redirects from https lead to https only.
// ErrorCode::not_found: libcurl is not installed. ErrorCode::interrupted: the received part is
// kept.
Result<void> download(const std::string& address, const std::string& path, core::Progress& progress,
                      const std::stop_token& stop);

}  // namespace paco
