// Replaces serve_bus.cpp if NATS is not installed.
#include "shared/serve_bus.hpp"

namespace paco {

Result<std::unique_ptr<BusStreams>> open_bus_streams(const BusAddress&, const std::string&,
                                                     server::Streams&, const std::stop_token&) {
  return Error{ErrorCode::unsupported, "this paco is built without NATS, so there is no --bus",
               "install libnats-dev and build again"};
}

}  // namespace paco
