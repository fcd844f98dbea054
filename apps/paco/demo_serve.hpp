// The demonstration's stream on a page: what `paco demo --serve` leaves running.
#pragma once

#include "demo_stream.hpp"
#include "verb.hpp"

namespace paco {

// Serves the folder's streams at 127.0.0.1 and lets the demonstration's samples flow in, the first
// few hundred at once and then at a pace that can be followed, until Ctrl-C. Begun again it goes
// on.
Result<void> serve_demo(Context& context, const DemoFiles& files, const DemoStream& demo,
                        std::uint16_t port);

}  // namespace paco
