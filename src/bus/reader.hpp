// One JetStream stream read in its order from a place on, without gap or double, whatever happens
// to the servers meanwhile: where the server that sends goes away, the reader asks another one from
// the message on that it had last.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bus/connection.hpp"

namespace paco::bus {

class Reader {
 public:
  // Of messages on `subject` alone; then numbers may be left out between two messages.
  // `first`: the sequence number to begin with.
  Reader(std::shared_ptr<Connection> connection, std::string stream, std::string subject,
         std::uint64_t first, bool whole = true);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // Appends what is there, at most `most`, and waits for the first so many milliseconds. An error
  // where messages that are wanted are no longer kept, or nobody answers for as long as the
  // connection is patient.
  Result<void> take(std::vector<Message>& out, std::size_t most, int wait_ms,
                    const std::stop_token& stop);
  std::uint64_t next() const { return next_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  Result<void> subscribe(const std::stop_token& stop);
  void leave();
  // Nothing has come for a while: is there something?
  Result<void> look(const std::stop_token& stop);

  std::shared_ptr<Connection> connection_;
  const std::string stream_, subject_;
  std::uint64_t next_;
  const bool whole_;  // every message of the stream is on the subject
  natsSubscription* subscription_ = nullptr;
  Time heard_{};
  std::uint64_t changes_ = 0;  // of the connection, when it was subscribed
};

}  // namespace paco::bus
