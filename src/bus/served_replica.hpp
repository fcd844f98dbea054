// A stream of the bus behind the API of `paco serve`: posted samples are published, and answered
// when their decision is committed. Samples of other publishers are folded and shown too.
//
// It is a replica like any other: it publishes decisions if no other replica does.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bus/committed_answers.hpp"
#include "bus/connection.hpp"
#include "bus/reliable_publisher.hpp"
#include "bus/replica.hpp"
#include "server/stream.hpp"

namespace paco::bus {

class ServedReplica final : public server::StreamWorker::Outlet {
 public:
  using Note = std::function<void(const std::string&)>;
  // The journal is in `folder` with the name of the stream; `name` is the name of this replica.
  static Result<std::unique_ptr<ServedReplica>> open(const std::shared_ptr<Connection>& connection,
                                                     const std::string& stream,
                                                     const std::string& folder,
                                                     const std::string& name, Note note,
                                                     const std::stop_token& stop);
  ~ServedReplica() override;  // requests without an answer are refused

  const std::shared_ptr<server::Stream>& stream() const { return stream_; }

  bool submit(server::SampleJob job) override;
  Result<OperationOutcome> apply(const Operation& operation) override;

 private:
  // A request whose samples have been accepted for publishing.
  struct Request {
    server::SampleJob job;
    std::vector<std::string> keys;
    server::SampleAnswer answer;
    std::size_t open = 0;  // samples not answered yet
    std::optional<server::BadSample> bad;
    std::chrono::steady_clock::time_point since;
  };
  struct Row {
    std::shared_ptr<Request> request;
    std::size_t row = 0;
  };
  using Done = std::vector<std::shared_ptr<Request>>;

  ServedReplica(std::shared_ptr<Connection> connection, StreamSettings settings, std::string name,
                Note note);

  void replicate(const std::stop_token& stop);    // thread: the replica
  void publish_all(const std::stop_token& stop);  // thread: publishes what was submitted
  Result<void> publish(const std::shared_ptr<Request>& request, const std::stop_token& stop);
  Result<std::vector<Append>> events_of(Request& request);
  static Error refuse(Request& request, std::size_t row, Error error);
  void committed(const Group& group);
  // These functions require mutex_ to be held.
  void take_answer(const Row& row, const Record& record, bool repeated, Done& done);
  void give_up(const std::shared_ptr<Request>& request, const Error& error, Done& done);
  void give_up_all(const Error& error, Done& done);
  void answer(const Done& done);

  const std::shared_ptr<Connection> connection_;
  const StreamSettings settings_;
  const std::string name_;
  const Note note_;
  const std::string prefix_;                      // of the keys that are made here
  std::unique_ptr<ReliablePublisher> publisher_;  // used by the sender thread
  std::shared_ptr<server::Stream> stream_;

  std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Request>> unpublished_;
  CommittedAnswers<Row> answers_;
  std::uint64_t made_keys_ = 0;
  std::size_t rows_ = 0;          // samples not answered yet
  bool started_ = false;          // answers_ has the starting position
  std::optional<Error> stopped_;  // the error with which the replica ended
  std::jthread replica_, sender_;
};

}  // namespace paco::bus
