// Compresses answers with gzip if the client accepts it.
#pragma once

#include "server/http.hpp"

namespace paco::server {

// Compresses texts and JSON, also those sent in pieces. Each piece can be decompressed when it
// arrives, so events are not delayed. Short answers, pictures and journals are not compressed.
void compress(Response& response, const Request& request);

}  // namespace paco::server
