// Blocks of samples to a stream of a server, each until it is answered.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/verb.hpp"
#include "server/client.hpp"
#include "shared/send_blocks.hpp"

namespace paco {

struct DeliverOptions {
  int retries = 60;   // a second apart, where the server is away or busy
  bool safe = false;  // samples have keys: what may have arrived is sent again
  std::function<Result<void>(const Json& decision)> see = {};  // every decision, in order
};

struct Delivered {
  std::uint64_t sent = 0, repeated = 0, created = 0;
};

// Samples that the server refuses by their row are left out and listed by `blocks`. What was sent
// before a stop stands.
Result<Delivered> deliver_all(Context& context, server::Client& client, const std::string& stream,
                              SendBlocks& blocks, const DeliverOptions& options);

}  // namespace paco
