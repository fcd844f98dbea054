// The streams of a bus for `paco serve --bus`. Where this program is built without NATS, asking for
// them is an error that says so (serve_bus_missing.cpp).
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "paco/result.hpp"
#include "server/streams.hpp"

namespace paco {

// Holds them; destroyed, it takes nothing more and answers what waits.
class BusStreams {
 public:
  virtual ~BusStreams() = default;
};

// Where the bus is, and who asks: as of 'paco bus', passed through to NATS.
struct BusAddress {
  std::string servers, credentials, tls_ca, tls_certificate, tls_key;
};

// Adds every stream of the bus to `streams`, also those that are made later; their journals are in
// `folder`.
Result<std::unique_ptr<BusStreams>> open_bus_streams(const BusAddress& address,
                                                     const std::string& folder,
                                                     server::Streams& streams,
                                                     const std::stop_token& stop);

}  // namespace paco
