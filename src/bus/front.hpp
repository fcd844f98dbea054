// A stream of the bus behind the interface of `paco serve`: what is posted is published and
// answered when its decision stands, and what others publish is folded and seen here too.
//
// It is a replica like any other: it speaks where nobody else does.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bus/outbox.hpp"
#include "bus/replica.hpp"
#include "server/stream.hpp"

namespace paco::bus {

class Front final : public server::StreamWorker::Outlet {
 public:
  using Note = std::function<void(const std::string&)>;
  // The journal is in `folder` and named after the stream; `name` is that of this replica.
  static Result<std::unique_ptr<Front>> open(const std::shared_ptr<Connection>& connection,
                                             const std::string& stream, const std::string& folder,
                                             const std::string& name, Note note,
                                             const std::stop_token& stop);
  ~Front() override;  // what waits is refused

  const std::shared_ptr<server::Stream>& stream() const { return stream_; }

  bool submit(server::SampleJob job) override;
  Result<OperationOutcome> apply(const Operation& operation) override;

 private:
  // A request whose samples are on their way.
  struct Request {
    server::SampleJob job;
    std::vector<std::string> keys;
    server::SampleAnswer answer;
    std::size_t open = 0;  // samples without an answer
    std::optional<server::BadSample> bad;
    std::chrono::steady_clock::time_point since;
  };
  struct Row {
    std::shared_ptr<Request> request;
    std::size_t row = 0;
  };
  using Done = std::vector<std::shared_ptr<Request>>;

  Front(std::shared_ptr<Connection> connection, StreamSettings settings, std::string name,
        Note note);

  void follow(const std::stop_token& stop);  // thread: the replica
  void send(const std::stop_token& stop);    // thread: publishes what was submitted
  Result<void> publish(const std::shared_ptr<Request>& request, const std::stop_token& stop);
  void stands(const Group& group);
  // Answers the samples that have this key; with mutex_ held.
  void settle(const std::string& key, const Record& record, bool repeated, Done& done);
  void give_up(const std::shared_ptr<Request>& request, const Error& error, Done& done);
  void answer(const Done& done);

  const std::shared_ptr<Connection> connection_;
  const StreamSettings settings_;
  const std::string name_;
  const Note note_;
  const std::string prefix_;  // of keys that are made here
  std::unique_ptr<Outbox> outbox_;
  std::shared_ptr<server::Stream> stream_;

  std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  std::deque<std::shared_ptr<Request>> line_;          // not yet published
  std::unordered_multimap<std::string, Row> waiting_;  // published, by key
  std::map<std::uint64_t, Record> operations_;         // the last ones that stand, by event
  std::uint64_t standing_ = 0, samples_ = 0, made_keys_ = 0;
  std::size_t rows_ = 0;          // of samples without an answer
  std::optional<Error> stopped_;  // why the replica ended
  std::jthread follower_, sender_;
};

}  // namespace paco::bus
