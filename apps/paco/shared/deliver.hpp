// Sends blocks of samples to a stream of a server, waiting for the answer to each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/verb.hpp"
#include "server/client.hpp"
#include "shared/send_blocks.hpp"

namespace paco {

struct DeliverOptions {
  int retries = 60;   // one per second while the server is unreachable or busy
  bool safe = false;  // samples have keys: a block may be sent twice
  std::function<Result<void>(const Json& decision)> see = {};  // gets every decision, in order
};

struct Delivered {
  std::uint64_t sent = 0, repeated = 0, created = 0;
};

// Samples that the server refuses are left out and listed by `blocks`. After a stop, the samples
// sent so far remain in the stream.
Result<Delivered> deliver_all(Context& context, server::Client& client, const std::string& stream,
                              SendBlocks& blocks, const DeliverOptions& options);

}  // namespace paco
