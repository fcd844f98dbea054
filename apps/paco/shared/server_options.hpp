// The options shared by `paco send` and `paco watch`: the server's address and the token.
#pragma once

#include "cli/verb.hpp"
#include "server/client.hpp"

namespace paco {

struct ServerOptions {
  std::string address = "http://127.0.0.1:8600";
  std::string stream, token_file;
};

void add_server(Options& verb, ServerOptions& options);
Result<std::unique_ptr<server::Client>> connect(const ServerOptions& options);

}  // namespace paco
