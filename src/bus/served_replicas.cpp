#include "bus/served_replicas.hpp"

#include <fmt/format.h>

#include "bus/settings.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr int kLookForNewMs = 1000;

}  // namespace

Result<std::unique_ptr<ServedReplicas>> ServedReplicas::open(std::shared_ptr<Connection> connection,
                                                             Options options,
                                                             server::Streams& streams,
                                                             const std::stop_token& stop) {
  std::unique_ptr<ServedReplicas> replicas(
      new ServedReplicas(std::move(connection), std::move(options), streams));
  PACO_ASSIGN(const std::vector<std::string> names, stream_names(*replicas->connection_, stop));
  for (const std::string& stream : names) PACO_TRY(replicas->serve_stream(stream, stop));
  ServedReplicas* raw = replicas.get();
  replicas->watcher_ = std::jthread([raw](const std::stop_token& end) { raw->watch(end); });
  return replicas;
}

ServedReplicas::~ServedReplicas() { watcher_ = {}; }

Result<void> ServedReplicas::serve_stream(const std::string& stream, const std::stop_token& stop) {
  PACO_ASSIGN(auto replica, ServedReplica::open(connection_, stream, options_.folder, options_.name,
                                                options_.note, stop));
  streams_.add(replica->stream());
  replicas_.emplace(stream, std::move(replica));
  return {};
}

void ServedReplicas::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pause(kLookForNewMs, stop);
    const Result<std::vector<std::string>> names = stream_names(*connection_, stop);
    if (!names.ok()) continue;  // no server answers at the moment
    for (const std::string& stream : *names) {
      if (stop.stop_requested()) return;
      if (replicas_.contains(stream) || refused_.contains(stream)) continue;
      const Result<void> served = serve_stream(stream, stop);
      if (served.ok() || served.error().code == ErrorCode::interrupted) continue;
      refused_.insert(stream);
      if (options_.note)
        options_.note(fmt::format("does not serve '{}': {}", stream, served.error().message));
    }
  }
}

}  // namespace paco::bus
