// Messages on their way to a JetStream stream: many at once, each kept until a server says that it
// is stored, and sent again where no answer comes. Each has an id, so that JetStream stores it once
// however often it is sent. The order is that of the calls unless a message had to be sent again.
//
// Thread rule: one thread at a time.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bus/connection.hpp"

namespace paco::bus {

class Outbox {
 public:
  // `what` begins the message of an error. `window`: messages under way at most.
  static Result<std::unique_ptr<Outbox>> open(std::shared_ptr<Connection> connection,
                                              std::string what, std::size_t window = 1024);
  ~Outbox();

  // An error is of this message or an earlier one; those that are not stored are then lost to this
  // object, and may be sent again under the same ids.
  Result<void> put(const std::string& subject, const std::string& id, std::string_view bytes,
                   const std::stop_token& stop);
  // Stops with an error before this stream is full to its last bytes: a store of NATS 2.9 that was
  // filled up was seen to drop its oldest messages.
  void spare(std::string stream) { spared_ = std::move(stream); }
  // Returns when everything is stored.
  Result<void> flush(const std::stop_token& stop);
  std::uint64_t resent() const { return resent_; }

 private:
  Outbox(std::shared_ptr<Connection> connection, std::string what)
      : connection_(std::move(connection)), what_(std::move(what)) {}
  static void failed(jsCtx* js, jsPubAckErr* error, void* self);
  Result<void> send(Message message, const std::stop_token& stop);
  // Sends again what failed; an error where that cannot help.
  Result<void> mend(const std::stop_token& stop);
  // No answer for long: everything under way is sent again.
  void take_back();
  Result<void> find_room(std::size_t bytes, const std::stop_token& stop);

  std::shared_ptr<Connection> connection_;
  const std::string what_;
  jsCtx* js_ = nullptr;
  std::uint64_t resent_ = 0;
  bool used_ = false;  // before that the library has no list of what is under way
  std::string spared_;
  std::int64_t room_ = 0;  // bytes that may still go there before it is asked again

  std::mutex mutex_;  // guards both below; the library's thread fills them
  std::vector<Message> again_;
  std::optional<Error> hopeless_;
};

}  // namespace paco::bus
