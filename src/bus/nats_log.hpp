// The logs of a stream on JetStream: the implementation of log.hpp for a connection, and readers
// and publishers on top of it.
#pragma once

#include <memory>
#include <string>

#include "bus/connection.hpp"
#include "bus/log.hpp"
#include "bus/ordered_reader.hpp"
#include "bus/reliable_publisher.hpp"
#include "bus/subjects.hpp"

namespace paco::bus {

class NatsStreamLog final : public StreamLog {
 public:
  NatsStreamLog(std::shared_ptr<Connection> connection, std::string stream)
      : connection_(std::move(connection)), stream_(std::move(stream)) {}

  std::unique_ptr<Subscription> events() override;
  std::unique_ptr<Subscription> decisions() override;
  Result<std::unique_ptr<LogAppender>> decision_appender() override;
  Result<std::optional<LogMessage>> decision_message(std::uint64_t sequence,
                                                     const std::stop_token& stop) override;
  Time now() const override { return std::chrono::steady_clock::now(); }

 private:
  const std::shared_ptr<Connection> connection_;
  const std::string stream_;
};

// Reads one subject of a JetStream stream; `whole` if the stream has no other subject.
OrderedReader read_log(std::shared_ptr<Connection> connection, const std::string& jetstream,
                       const std::string& subject, std::uint64_t first, bool whole = true);

// `events_of`: the stream whose events must not fill its store; empty: no limit is checked.
Result<std::unique_ptr<ReliablePublisher>> open_publisher(std::shared_ptr<Connection> connection,
                                                          const std::string& what,
                                                          const std::string& events_of = {},
                                                          std::size_t window = 1024);

}  // namespace paco::bus
