#include "server_options.hpp"

#include <cstdlib>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco {

void add_server(CLI::App& verb, ServerOptions& options) {
  verb.add_option("--server", options.address, "where 'paco serve' is");
  verb.add_option("--stream", options.stream, "the stream's name")->required();
  verb.add_option("--token-file", options.token_file,
                  "a file with the token alone; without it the variable PACO_TOKEN");
}

Result<std::unique_ptr<server::Client>> connect(const ServerOptions& options) {
  std::string token;
  if (!options.token_file.empty()) {
    PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(options.token_file, 4096));
    token.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.pop_back();
  } else if (const char* set = std::getenv("PACO_TOKEN"); set != nullptr) {
    token = set;
  }
  return server::Client::create(options.address, std::move(token));
}

}  // namespace paco
