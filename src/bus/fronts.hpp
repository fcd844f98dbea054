// Every stream of a bus behind the interface of `paco serve`: those that are there at the start,
// and those that are made later, which are found within a second or two.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "bus/front.hpp"
#include "server/streams.hpp"

namespace paco::bus {

class Fronts {
 public:
  struct Options {
    std::string folder;  // of the journals
    std::string name;    // of this replica
    Front::Note note;
  };
  // An error where a stream that is there cannot be followed. `streams` outlives this object.
  static Result<std::unique_ptr<Fronts>> open(std::shared_ptr<Connection> connection,
                                              Options options, server::Streams& streams,
                                              const std::stop_token& stop);
  ~Fronts();  // takes nothing more, and refuses what waits

 private:
  Fronts(std::shared_ptr<Connection> connection, Options options, server::Streams& streams)
      : connection_(std::move(connection)), options_(std::move(options)), streams_(streams) {}

  Result<void> follow(const std::string& stream, const std::stop_token& stop);
  void watch(const std::stop_token& stop);  // thread: looks for new ones

  const std::shared_ptr<Connection> connection_;
  const Options options_;
  server::Streams& streams_;
  std::map<std::string, std::unique_ptr<Front>> fronts_;  // the watcher's, once it runs
  std::set<std::string> refused_;                         // could not be followed; said once
  std::jthread watcher_;
};

}  // namespace paco::bus
