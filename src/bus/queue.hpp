// The pictures of a stream as one of its workers takes them: the work queue that all workers share.
//
// JetStream keeps who has which picture in a consumer, and that may be lost with a server while the
// pictures are not. So whoever is given nothing asks: is there a picture, does the consumer answer,
// has it given or seen answered anything since? One that is gone, does not answer, or has forgotten
// pictures is made anew. Some may then be given out twice, which their keys make one event.
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
  // `answer_seconds`: until a picture without an answer is given to somebody else.
  Queue(std::shared_ptr<Connection> connection, const std::string& stream, int answer_seconds);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // What is there, at most `most`; waits a second for the first. Empty where nothing came.
  Result<std::vector<Message>> take(std::size_t most, const std::stop_token& stop);

 private:
  using Time = std::chrono::steady_clock::time_point;
  // What the consumer says of itself; equal twice in a row: nothing has moved.
  struct Said {
    std::int64_t created = 0, open = 0;        // open: given out without an answer
    std::uint64_t given = 0, answered_to = 0;  // counts from its making on
    bool operator==(const Said&) const = default;
  };

  Result<void> subscribe(const std::stop_token& stop);
  void leave();
  // Appends; false where the consumer did not answer.
  bool fetch(std::vector<Message>& out, std::size_t most, bool wait);
  Result<void> look(const std::stop_token& stop);

  const std::shared_ptr<Connection> connection_;
  const std::string stream_, subject_;
  const int answer_seconds_;
  natsSubscription* subscription_ = nullptr;
  std::optional<Said> said_;
  Time moved_;  // when it last did something, as far as is known
};

}  // namespace paco::bus
