// The interface between the protocol of a stream and its logs and clock, without NATS and without
// threads: numbered messages, an append that can name the expected last message, and reading from a
// given number on.
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
  std::string_view bytes;      // memory kept alive by `owner`
  std::shared_ptr<const void> owner;
};

// Delivers messages of one log as a server sends them. Some may be missing, repeated or late;
// OrderedReader corrects that.
class Subscription {
 public:
  enum class Delivery : std::uint8_t { message, nothing, broken };
  struct Range {
    std::uint64_t first = 0, last = 0;  // numbers of the oldest and the newest message that is kept
  };

  virtual ~Subscription() = default;
  // Requests all messages from `first` on; messages of an earlier request are not delivered any
  // more.
  virtual Result<void> begin(std::uint64_t first, const std::stop_token& stop) = 0;
  // Waits at most `wait_ms` milliseconds.
  virtual Delivery next(LogMessage& out, int wait_ms) = 0;
  // Whether next() would return without waiting.
  virtual bool ready() const = 0;
  // The delivering server was lost; call begin() again.
  virtual bool lost() const = 0;
  virtual Result<Range> range(const std::stop_token& stop) = 0;
};

struct Append {
  std::string subject;
  std::string bytes;
  std::string name = {};  // for error texts
  // A log stores a message with the same id only once within its window. Empty: no id.
  std::string id = {};
  // Store the message only if the last message then has this number; 0: if the log is empty.
  std::optional<std::uint64_t> expected_last = {};
};

struct AppendAnswer {
  enum class Kind : std::uint8_t {
    stored,
    known_id,    // a message with this id was stored before; nothing was added
    wrong_last,  // another message is the last one
    try_again,   // not stored, or unknown; may be temporary
    failed,      // not stored, and a retry does not help
  };
  std::uint64_t token = 0;  // the result of append()
  Kind kind = Kind::stored;
  // For stored and known_id: the number of the message. known_id with 0: the server remembers the
  // id but does not have the message.
  std::uint64_t sequence = 0;
  std::optional<Error> error = {};  // try_again, failed
};

// Appends without waiting. Answers arrive later, in any order, or never.
class LogAppender {
 public:
  virtual ~LogAppender() = default;
  // Returns a token for the answer, or nothing if the message cannot be sent now.
  virtual Result<std::optional<std::uint64_t>> append(const Append& message) = 0;
  // The answers that arrived since the last call.
  virtual std::vector<AppendAnswer> answers() = 0;
  // Returns at the next answer, or after this many milliseconds.
  virtual void wait(int milliseconds) = 0;
  // Stops waiting for all answers; none will be returned for those appends. They may still be
  // stored.
  virtual void abandon() = 0;
  // How often the connection changed to another server; answers pending at that time may never
  // come.
  virtual std::uint64_t server_changes() const = 0;
  virtual std::size_t max_message() const = 0;  // bytes
};

// The logs of one stream, as a replica uses them.
class StreamLog {
 public:
  virtual ~StreamLog() = default;
  virtual std::unique_ptr<Subscription> events() = 0;
  virtual std::unique_ptr<Subscription> decisions() = 0;
  virtual Result<std::unique_ptr<LogAppender>> decision_appender() = 0;
  // A message of the decisions log; 0: the last one. Nothing if it does not exist.
  virtual Result<std::optional<LogMessage>> decision_message(std::uint64_t sequence,
                                                             const std::stop_token& stop) = 0;
  virtual Time now() const = 0;
};

}  // namespace paco::bus
