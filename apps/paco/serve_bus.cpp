#include "serve_bus.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "base/try.hpp"
#include "bus/front.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Fronts final : BusStreams {
  std::vector<std::unique_ptr<bus::Front>> all;
};

}  // namespace

Result<std::unique_ptr<BusStreams>> open_bus_streams(const std::string& servers,
                                                     const std::string& folder,
                                                     serve::Streams& streams,
                                                     const std::stop_token& stop) {
  bus::ConnectOptions options;
  options.servers = servers;
  PACO_ASSIGN(const auto connection, bus::Connection::open(options));
  PACO_ASSIGN(const std::vector<std::string> names, bus::stream_names(*connection, stop));
  auto fronts = std::make_unique<Fronts>();
  const std::string name = fmt::format("serve-{}", ::getpid());
  for (const std::string& stream : names) {
    const auto note = [](const std::string& text) { print_note(text); };
    PACO_ASSIGN(auto front, bus::Front::open(connection, stream, folder, name, note, stop));
    streams.add(front->stream());
    fronts->all.push_back(std::move(front));
  }
  return std::unique_ptr<BusStreams>(std::move(fronts));
}

}  // namespace paco
