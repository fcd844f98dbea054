// Appends to JetStream without waiting. The client library delivers answers on its own thread; they
// are collected here until answers() is called. The callers decide what to do about a refused or
// unanswered message (reliable_publisher.hpp, decision_publisher.hpp).
//
// Thread rule: one thread at a time.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/connection.hpp"
#include "bus/log.hpp"

namespace paco::bus {

class AsyncPublisher final : public LogAppender {
 public:
  // `what` begins the message of an error. `window`: upper bound on messages without an answer.
  static Result<std::unique_ptr<LogAppender>> open(std::shared_ptr<Connection> connection,
                                                   const std::string& what, std::size_t window);
  ~AsyncPublisher() override;
  AsyncPublisher(const AsyncPublisher&) = delete;
  AsyncPublisher& operator=(const AsyncPublisher&) = delete;

  Result<std::optional<std::uint64_t>> append(const Append& message) override;
  std::vector<AppendAnswer> answers() override;
  void wait(int milliseconds) override;
  void abandon() override;
  std::uint64_t server_changes() const override { return connection_->changes(); }
  std::size_t max_message() const override {
    return static_cast<std::size_t>(connection_->most_payload());
  }

 private:
  struct Sent {
    std::uint64_t token = 0;
    std::string name;  // for error texts
  };

  AsyncPublisher(std::shared_ptr<Connection> connection, std::string what)
      : connection_(std::move(connection)), what_(std::move(what)) {}
  static void on_answer(jsCtx* js, natsMsg* message, jsPubAck* ack, jsPubAckErr* error, void* self);
  void collect(const natsMsg* message, const jsPubAck* ack, const jsPubAckErr* error);

  const std::shared_ptr<Connection> connection_;
  const std::string what_;
  jsCtx* js_ = nullptr;
  bool used_ = false;  // before the first use the library has no list of pending messages
  std::uint64_t next_token_ = 1;

  std::mutex mutex_;  // guards all below
  std::condition_variable answered_;
  // Pending messages by the library's message object. An answer to any other message is ignored.
  std::unordered_map<const natsMsg*, Sent> under_way_;
  std::vector<AppendAnswer> answers_;
};

}  // namespace paco::bus
