// Messages on their way to a JetStream stream: many at once, each kept until a server says that it
// is stored, and sent again where no answer comes. Each has an id, so that JetStream stores it once
// however often it is sent. A server may remember the id of a message that it lost with its leader;
// then the message goes under another one, and its key tells replicas that it is the same. The
// order is that of the calls unless a message had to be sent again.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bus/postman.hpp"

namespace paco::bus {

class Outbox {
 public:
  // `what` begins the message of an error. `window`: messages under way at most.
  static Result<std::unique_ptr<Outbox>> open(std::shared_ptr<Connection> connection,
                                              std::string what, std::size_t window = 1024);

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
      : connection_(std::move(connection)),
        what_(std::move(what)),
        changes_(connection_->changes()) {}
  void take(Postman::Answer answer);
  Result<void> send(Message message, const std::stop_token& stop);
  // Sends again what failed; an error where that cannot help.
  Result<void> mend(const std::stop_token& stop);
  void take_back();
  void look_after();
  // An error where patience has ended or the token is set.
  Result<void> keep_on(const std::stop_token& stop);
  Result<void> find_room(std::size_t bytes, const std::stop_token& stop);

  std::shared_ptr<Connection> connection_;
  const std::string what_;
  std::uint64_t resent_ = 0, changes_ = 0;  // changes_: of the connection
  std::string spared_;
  std::int64_t room_ = 0;  // bytes that may still go there before it is asked again

  std::mutex mutex_;  // guards all but the last; the library's thread fills them
  std::vector<Message> again_;
  std::optional<Error> hopeless_, refusal_;         // refusal_: the last that may pass
  std::size_t under_way_ = 0;                       // without an answer
  std::chrono::steady_clock::time_point answered_;  // when the last answer came, or the first left
  std::size_t unstored_ = 0;                        // of what was put
  std::chrono::steady_clock::time_point stored_;    // when the last was stored, or the first put
  std::map<std::string, int> placeless_;            // answers "seen" without a place, by id
  std::unique_ptr<Postman> postman_;                // ends before all above
};

}  // namespace paco::bus
