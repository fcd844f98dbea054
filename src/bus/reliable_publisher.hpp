// Publishes messages to a log, many at once. Each is kept until a server confirms that it is
// stored, and is sent again if no answer comes. The order is that of the calls, except for messages
// that were sent again.
//
// A message with an id is stored once within the log's window, however often it is sent. A server
// may remember the id of a message that it lost; then the message is sent with another id. A
// message without an id may be stored more than once; this is used for samples, which have keys.
//
// The protocol consists of add(), step() and idle(), which never wait; put() and flush() wait.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bus/log.hpp"

namespace paco::bus {

// The used and available space of a log. `limit` 0: no limit.
struct StoreRoom {
  std::int64_t used = 0, limit = 0;  // bytes
};

// The error if no server answered within the patience.
Error no_answer(const std::string& what, const std::string& servers);

class ReliablePublisher {
 public:
  struct Options {
    std::string what;           // begins the message of an error
    std::string servers;        // for the message of an error
    std::size_t window = 1024;  // upper bound on pending messages
    double patience = 60;       // seconds without a stored message before giving up
    // Called at intervals. Publishing fails before the log is completely full, because a full store
    // of NATS 2.9 was seen to drop its oldest messages.
    std::function<Result<StoreRoom>(const std::stop_token&)> room = {};
  };
  ReliablePublisher(std::unique_ptr<LogAppender> appender, SteadyClock now, Options options);

  void add(Append message);
  // Processes answers and sends what is due. Fails if a message cannot be stored; pending messages
  // are then dropped from this object and may be published again.
  Result<void> step();
  bool full() const { return unstored() >= options_.window; }
  bool idle() const { return unstored() == 0; }
  std::uint64_t resent() const { return resent_; }

  // Adds a message when the window has room. An error may concern this message or an earlier one.
  Result<void> put(Append message, const std::stop_token& stop);
  // Returns when everything is stored.
  Result<void> flush(const std::stop_token& stop);

 private:
  struct Pending {
    Append message;
    int unknown_place = 0;  // number of "known id" answers without the message
    bool again = false;
  };

  std::size_t unstored() const { return under_way_.size() + queue_.size(); }
  Result<void> take(AppendAnswer answer);
  void resend(Pending pending);
  void resend_unanswered();
  Result<void> send();
  Result<void> wait(const std::stop_token& stop);
  Result<void> find_room(std::size_t bytes, const std::stop_token& stop);

  const std::unique_ptr<LogAppender> appender_;
  const SteadyClock now_;
  const Options options_;
  std::map<std::uint64_t, Pending> under_way_;  // by token, which is the order of sending
  std::deque<Pending> queue_;                   // to be sent; messages to be resent come first
  std::optional<Error> refusal_;                // the last temporary error
  std::uint64_t resent_ = 0, server_changes_ = 0;
  Time send_at_{};         // earliest time to send
  Time answered_{};        // time of the last answer, or of sending the first pending message
  Time stored_{};          // time when the last message was stored, or the first one added
  std::int64_t room_ = 0;  // bytes that may be sent before the log's space is checked again
};

}  // namespace paco::bus
