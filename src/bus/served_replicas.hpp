// All streams of a bus behind the API of `paco serve`: those that exist at the start, and later
// ones, which are found within two seconds.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "bus/served_replica.hpp"
#include "server/streams.hpp"

namespace paco::bus {

class ServedReplicas {
 public:
  struct Options {
    std::string folder;  // of the journals
    std::string name;    // of this replica
    ServedReplica::Note note;
  };
  // Fails if an existing stream cannot be served. `streams` must outlive this object.
  static Result<std::unique_ptr<ServedReplicas>> open(std::shared_ptr<Connection> connection,
                                                      Options options, server::Streams& streams,
                                                      const std::stop_token& stop);
  ~ServedReplicas();  // accepts nothing more, and refuses unanswered requests

 private:
  ServedReplicas(std::shared_ptr<Connection> connection, Options options, server::Streams& streams)
      : connection_(std::move(connection)), options_(std::move(options)), streams_(streams) {}

  Result<void> serve_stream(const std::string& stream, const std::stop_token& stop);
  void watch(const std::stop_token& stop);  // thread: looks for new streams

  const std::shared_ptr<Connection> connection_;
  const Options options_;
  server::Streams& streams_;
  std::map<std::string, std::unique_ptr<ServedReplica>> replicas_;  // only the watcher uses it
  std::set<std::string> refused_;  // could not be served; reported once
  std::jthread watcher_;
};

}  // namespace paco::bus
