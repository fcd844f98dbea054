// The work queue with the pictures of a stream, shared by all its workers; this class is one
// worker's access to it.
//
// JetStream records in a consumer which worker has which picture. That record may be lost with a
// server while the pictures are not. So a worker that gets nothing checks whether there is a
// picture, whether the consumer answers, and whether its state has changed since. A consumer that
// is gone, does not answer, or has forgotten pictures is created again. Pictures may then be given
// out twice; their samples are decided once, because of their keys.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bus/connection.hpp"

namespace paco::bus {

class Queue {
 public:
  // `answer_seconds`: time until an unanswered picture is given to another worker.
  Queue(std::shared_ptr<Connection> connection, const std::string& stream, int answer_seconds);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Returns available pictures, at most `most`; waits up to a second for the first. Empty if none
  // came.
  Result<std::vector<Message>> take(std::size_t most, const std::stop_token& stop);

 private:
  using Time = std::chrono::steady_clock::time_point;
  // The state of the consumer. If it is equal twice in a row, there was no progress.
  struct ConsumerState {
    std::int64_t created = 0, open = 0;        // open: given out and not answered
    std::uint64_t given = 0, answered_to = 0;  // counted since its creation
    bool operator==(const ConsumerState&) const = default;
  };

  Result<void> subscribe(const std::stop_token& stop);
  void leave();
  // Appends to `out`; false if the consumer did not answer.
  bool fetch(std::vector<Message>& out, std::size_t most, bool wait);
  Result<void> check(const std::stop_token& stop);

  const std::shared_ptr<Connection> connection_;
  const std::string stream_, subject_;
  const int answer_seconds_;
  natsSubscription* subscription_ = nullptr;
  std::optional<ConsumerState> last_state_;
  Time moved_;  // last known change of its state
};

}  // namespace paco::bus
