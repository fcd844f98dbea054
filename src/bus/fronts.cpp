#include "bus/fronts.hpp"

#include <fmt/format.h>

#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr int kLookForNewMs = 1000;

}  // namespace

Result<std::unique_ptr<Fronts>> Fronts::open(std::shared_ptr<Connection> connection,
                                             Options options, server::Streams& streams,
                                             const std::stop_token& stop) {
  std::unique_ptr<Fronts> fronts(new Fronts(std::move(connection), std::move(options), streams));
  PACO_ASSIGN(const std::vector<std::string> names, stream_names(*fronts->connection_, stop));
  for (const std::string& stream : names) PACO_TRY(fronts->follow(stream, stop));
  Fronts* raw = fronts.get();
  fronts->watcher_ = std::jthread([raw](const std::stop_token& end) { raw->watch(end); });
  return fronts;
}

Fronts::~Fronts() { watcher_ = {}; }

Result<void> Fronts::follow(const std::string& stream, const std::stop_token& stop) {
  PACO_ASSIGN(auto front, Front::open(connection_, stream, options_.folder, options_.name,
                                      options_.note, stop));
  streams_.add(front->stream());
  fronts_.emplace(stream, std::move(front));
  return {};
}

void Fronts::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pause(kLookForNewMs, stop);
    const Result<std::vector<std::string>> names = stream_names(*connection_, stop);
    if (!names.ok()) continue;  // the servers are away for a moment
    for (const std::string& stream : *names) {
      if (stop.stop_requested()) return;
      if (fronts_.contains(stream) || refused_.contains(stream)) continue;
      const Result<void> followed = follow(stream, stop);
      if (followed.ok() || followed.error().code == ErrorCode::interrupted) continue;
      refused_.insert(stream);
      if (options_.note)
        options_.note(fmt::format("does not serve '{}': {}", stream, followed.error().message));
    }
  }
}

}  // namespace paco::bus
