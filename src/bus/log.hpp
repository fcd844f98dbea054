// What the protocol of a stream needs of its logs and of time, without NATS and without threads:
// numbered messages, an append that may say which message it expects to be the last, and reading
// from a number on.
//
// nats_log.hpp is the implementation on JetStream. tests/unit/bus/simulated_log.hpp is another one,
// in memory, that loses and delays on purpose.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::bus {

using Time = std::chrono::steady_clock::time_point;
using SteadyClock = std::function<Time()>;

struct LogMessage {
  std::uint64_t sequence = 0;  // its number in the log; the first is 1
  std::string_view bytes;      // owner keeps them
  std::shared_ptr<const void> owner;
};

// Messages of one log as a server delivers them. Some may be missing, doubled or late:
// OrderedReader puts that right.
class Subscription {
 public:
  enum class Delivery : std::uint8_t { message, nothing, broken };
  struct Range {
    std::uint64_t first = 0, last = 0;  // numbers of the oldest and the newest message that is kept
  };

  virtual ~Subscription() = default;
  // Asks for everything from message `first` on. What was asked for before is not delivered any
  // more.
  virtual Result<void> begin(std::uint64_t first, const std::stop_token& stop) = 0;
  // Waits at most so many milliseconds.
  virtual Delivery next(LogMessage& out, int wait_ms) = 0;
  // next() would not wait.
  virtual bool ready() const = 0;
  // The server that delivers was lost: begin() is due.
  virtual bool lost() const = 0;
  virtual Result<Range> range(const std::stop_token& stop) = 0;
};

struct Append {
  std::string subject;
  std::string bytes;
  std::string name = {};  // for error texts
  // A log stores an id once within its window. Empty: none.
  std::string id = {};
  // Stored only if this is the number of the last message at that time; 0: if there is none.
  std::optional<std::uint64_t> expected_last = {};
};

struct AppendAnswer {
  enum class Kind : std::uint8_t {
    stored,
    known_id,    // a message with this id was stored before; nothing was added
    wrong_last,  // another message is the last one
    try_again,   // not stored, or not known whether it is; may pass
    failed,      // not stored, and trying again does not help
  };
  std::uint64_t token = 0;  // as append() gave it
  Kind kind = Kind::stored;
  // stored, known_id: the number of the message. known_id with 0: the server knows the id and does
  // not have the message.
  std::uint64_t sequence = 0;
  std::optional<Error> error = {};  // try_again, failed
};

// Appends without waiting. Answers come later, in any order, or never.
class LogAppender {
 public:
  virtual ~LogAppender() = default;
  // A token for the answer. Nothing if it cannot be sent now.
  virtual Result<std::optional<std::uint64_t>> append(const Append& message) = 0;
  // Those that came since the last call.
  virtual std::vector<AppendAnswer> answers() = 0;
  // Returns at the next answer, or after so many milliseconds.
  virtual void wait(int milliseconds) = 0;
  // Gives up all appends without an answer: none comes for them. They may be stored all the same.
  virtual void abandon() = 0;
  // How often another server had to be found; answers that were due then may never come.
  virtual std::uint64_t server_changes() const = 0;
  virtual std::size_t max_message() const = 0;  // bytes
};

// The logs of one stream as a replica sees them.
class StreamLog {
 public:
  virtual ~StreamLog() = default;
  virtual std::unique_ptr<Subscription> events() = 0;
  virtual std::unique_ptr<Subscription> decisions() = 0;
  virtual Result<std::unique_ptr<LogAppender>> decision_appender() = 0;
  // A message of the decisions; 0: the last one. Nothing if there is none.
  virtual Result<std::optional<LogMessage>> decision_message(std::uint64_t sequence,
                                                             const std::stop_token& stop) = 0;
  virtual Time now() const = 0;
};

}  // namespace paco::bus
