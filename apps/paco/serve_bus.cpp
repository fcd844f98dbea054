#include "serve_bus.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "bus/fronts.hpp"
#include "core/try.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Served final : BusStreams {
  std::unique_ptr<bus::Fronts> fronts;
};

}  // namespace

Result<std::unique_ptr<BusStreams>> open_bus_streams(const BusAddress& address,
                                                     const std::string& folder,
                                                     server::Streams& streams,
                                                     const std::stop_token& stop) {
  bus::ConnectOptions options;
  options.servers = address.servers;
  options.credentials = address.credentials;
  options.tls_ca = address.tls_ca;
  options.tls_certificate = address.tls_certificate;
  options.tls_key = address.tls_key;
  PACO_ASSIGN(auto connection, bus::Connection::open(options));
  auto served = std::make_unique<Served>();
  const auto note = [](const std::string& text) { print_note(text); };
  PACO_ASSIGN(served->fronts, bus::Fronts::open(std::move(connection),
                                                {folder, fmt::format("serve-{}", ::getpid()), note},
                                                streams, stop));
  return std::unique_ptr<BusStreams>(std::move(served));
}

}  // namespace paco
