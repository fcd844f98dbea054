// The streams of a bus for `paco serve --bus`. If this program is built without NATS, using them is
// an error that says so (serve_bus_missing.cpp).
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "paco/result.hpp"
#include "server/streams.hpp"

namespace paco {

// Owns the streams. Its destructor accepts nothing more and answers waiting requests.
class BusStreams {
 public:
  virtual ~BusStreams() = default;
};

// The address and credentials of the bus, as for 'paco bus', passed to NATS unchanged.
struct BusAddress {
  std::string servers, credentials, tls_ca, tls_certificate, tls_key;
};

// Adds every stream of the bus to `streams`, including later ones; their journals are in `folder`.
Result<std::unique_ptr<BusStreams>> open_bus_streams(const BusAddress& address,
                                                     const std::string& folder,
                                                     server::Streams& streams,
                                                     const std::stop_token& stop);

}  // namespace paco
