// Messages on their way to a log: many at once, each kept until a server says that it is stored,
// and sent again if no answer comes. The order is that of the calls unless a message had to be sent
// again.
//
// A message with an id is stored once within the log's window, however often it is sent. A server
// may remember the id of a message that it lost; then the message goes under another id. A message
// without an id may be stored more than once: samples, which replicas know by their keys.
//
// The protocol is add(), step() and idle(), which never wait. put() and flush() wait around it.
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

// What a log may still take. `limit` 0: no limit.
struct StoreRoom {
  std::int64_t used = 0, limit = 0;  // bytes
};

// No server said anything until the patience was spent.
Error no_answer(const std::string& what, const std::string& servers);

class ReliablePublisher {
 public:
  struct Options {
    std::string what;           // begins the message of an error
    std::string servers;        // for the message of an error
    std::size_t window = 1024;  // messages under way at most
    double patience = 60;       // seconds without a message stored until it gives up
    // Asked now and then. Publishing stops with an error before the log is full to its last bytes:
    // a store of NATS 2.9 that was filled up was seen to drop its oldest messages.
    std::function<Result<StoreRoom>(const std::stop_token&)> room = {};
  };
  ReliablePublisher(std::unique_ptr<LogAppender> appender, SteadyClock now, Options options);

  void add(Append message);
  // Takes answers and sends what is due. An error if a message cannot be stored; those without an
  // answer are then lost to this object, and may be published again.
  Result<void> step();
  bool full() const { return unstored() >= options_.window; }
  bool idle() const { return unstored() == 0; }
  std::uint64_t resent() const { return resent_; }

  // Adds a message when there is room in the window. An error is of this message or an earlier one.
  Result<void> put(Append message, const std::stop_token& stop);
  // Returns when everything is stored.
  Result<void> flush(const std::stop_token& stop);

 private:
  struct Pending {
    Append message;
    int unknown_place = 0;  // answers "known id" without the message
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
  std::map<std::uint64_t, Pending> under_way_;  // by token, so in the order in which they were sent
  std::deque<Pending> queue_;                   // to be sent; those that are sent again come first
  std::optional<Error> refusal_;                // the last that may pass
  std::uint64_t resent_ = 0, server_changes_ = 0;
  Time send_at_{};         // nothing is sent before
  Time answered_{};        // the last answer, or the first message under way
  Time stored_{};          // the last message that was stored, or the first that was added
  std::int64_t room_ = 0;  // bytes that may still be sent before the log is asked again
};

}  // namespace paco::bus
