// Messages to JetStream that are sent without waiting; the answer to each comes to one function
// later. Not here: what is done about a message that was refused, or that has no answer.
//
// Thread rule: one thread at a time; answers come on a thread of the library's, and none comes once
// the object is gone.
#pragma once

#include <string>
#include <vector>

#include "bus/connection.hpp"

namespace paco::bus {

class Postman {
 public:
  struct Answer {
    Message message;  // the one that was sent
    natsStatus status = NATS_OK;
    jsErrCode code = jsErrCode(0);
    std::string text;            // the server's, where it refused
    std::uint64_t sequence = 0;  // where it is stored
    bool duplicate = false;      // its id was seen before: nothing new is stored
  };
  // Must not call the postman.
  using Take = std::function<void(Answer)>;

  // `window`: messages without an answer at most; send() waits for room.
  static Result<std::unique_ptr<Postman>> open(std::shared_ptr<Connection> connection,
                                               const std::string& what, std::size_t window,
                                               Take take);
  ~Postman();
  Postman(const Postman&) = delete;
  Postman& operator=(const Postman&) = delete;

  // The message is gone where the status is NATS_OK.
  natsStatus send(Message& message, jsPubOptions* options = nullptr);
  // Until everything is answered; NATS_TIMEOUT where that takes longer.
  natsStatus wait(int milliseconds);
  // What has no answer. None comes for these any more.
  std::vector<Message> take_back();

 private:
  Postman(std::shared_ptr<Connection> connection, Take take)
      : connection_(std::move(connection)), take_(std::move(take)) {}
  static void answered(jsCtx* js, natsMsg* message, jsPubAck* ack, jsPubAckErr* error, void* self);

  const std::shared_ptr<Connection> connection_;
  const Take take_;
  jsCtx* js_ = nullptr;
  bool used_ = false;  // before that the library has no list of what is under way
};

}  // namespace paco::bus
