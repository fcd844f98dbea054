// The streams of a bus for `paco serve --bus`. Where this program is built without NATS, asking for
// them is an error that says so (serve_bus_missing.cpp).
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "paco/result.hpp"
#include "serve/streams.hpp"

namespace paco {

// Holds them; destroyed, it takes nothing more and answers what waits.
class BusStreams {
 public:
  virtual ~BusStreams() = default;
};

// Adds every stream of the bus to `streams`; their journals are in `folder`.
Result<std::unique_ptr<BusStreams>> open_bus_streams(const std::string& servers,
                                                     const std::string& folder,
                                                     serve::Streams& streams,
                                                     const std::stop_token& stop);

}  // namespace paco
