// What `paco send` and `paco watch` share: where the server is, and who asks.
#pragma once

#include "server/client.hpp"
#include "verb.hpp"

namespace paco {

struct ServerOptions {
  std::string address = "http://127.0.0.1:8600";
  std::string stream, token_file;
};

void add_server(CLI::App& verb, ServerOptions& options);
Result<std::unique_ptr<server::Client>> connect(const ServerOptions& options);

}  // namespace paco
