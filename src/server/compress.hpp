// Answers in gzip's form for those that take it.
#pragma once

#include "server/http.hpp"

namespace paco::server {

// Texts and JSON, also those that come in pieces: each piece is whole by itself, so that events
// arrive as they happen. Short answers stay as they are, so do pictures and journals.
void compress(Response& response, const Request& request);

}  // namespace paco::server
