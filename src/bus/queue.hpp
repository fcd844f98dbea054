// The pictures of a stream as one of its workers takes them: the work queue that all workers share.
//
// JetStream keeps which worker has which picture in a consumer, and that may be lost with a server
// while the pictures are not. So a worker that is given nothing asks: is there a picture, does the
// consumer answer, has it given out a picture or got an answer since? A consumer that is gone, does
// not answer, or has forgotten pictures is made anew. Pictures may then be given out twice; their
// samples are decided once, by their keys.
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
  // `answer_seconds`: until a picture without an answer is given to another worker.
  Queue(std::shared_ptr<Connection> connection, const std::string& stream, int answer_seconds);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // What is there, at most `most`; waits a second for the first. Empty if nothing came.
  Result<std::vector<Message>> take(std::size_t most, const std::stop_token& stop);

 private:
  using Time = std::chrono::steady_clock::time_point;
  // The state of the consumer; equal twice in a row: nothing has moved.
  struct ConsumerState {
    std::int64_t created = 0, open = 0;        // open: given out without an answer
    std::uint64_t given = 0, answered_to = 0;  // counts from its making on
    bool operator==(const ConsumerState&) const = default;
  };

  Result<void> subscribe(const std::stop_token& stop);
  void leave();
  // Appends; false if the consumer did not answer.
  bool fetch(std::vector<Message>& out, std::size_t most, bool wait);
  Result<void> check(const std::stop_token& stop);

  const std::shared_ptr<Connection> connection_;
  const std::string stream_, subject_;
  const int answer_seconds_;
  natsSubscription* subscription_ = nullptr;
  std::optional<ConsumerState> last_state_;
  Time moved_;  // when it last did something, as far as is known
};

}  // namespace paco::bus
