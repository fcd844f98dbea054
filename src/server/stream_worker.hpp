// The one thread that owns a stream. Requests wait in a queue. All waiting samples are decided as
// one group with one sync of the disk, so that a thousand senders of single samples cost hardly
// more than one. Everything else that needs the session runs between two groups.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "paco/session.hpp"
#include "server/samples.hpp"

namespace paco::server {

// The state after a group, for readers.
struct Published {
  std::shared_ptr<const MemoryView> view;
  std::uint64_t events = 0;
};

// The answers to the samples of one request.
struct SampleAnswer {
  std::vector<Decision> decisions;
  std::vector<std::uint64_t> events;
  std::vector<char> repeated;  // repeats an earlier answer for the same key
  std::shared_ptr<const Published> after;
  std::shared_ptr<const Samples> samples;
};

struct SampleJob {
  std::shared_ptr<const Samples> samples;
  std::function<void(std::variant<SampleAnswer, BadSample>)> done;  // called on the worker's thread
};

class StreamWorker {
 public:
  // Gets every new decision and every operation once it is on the disk, on the worker's thread.
  struct Observer {
    virtual ~Observer() = default;
    virtual void decided(const Decision& decision) = 0;
    virtual void operated(const OperationOutcome& outcome) = 0;
    virtual void committed() = 0;  // after a group or an operation
  };

  // Where requests are sent first if the order of events is determined elsewhere. The session then
  // changes only through fold() and carry_out().
  struct Outlet {
    virtual ~Outlet() = default;
    virtual bool submit(SampleJob job) = 0;
    virtual Result<OperationOutcome> apply(const Operation& operation) = 0;
  };

  StreamWorker(Session session, Observer& listener);
  ~StreamWorker();  // handles all waiting requests, then closes the session

  // False if too much is waiting.
  bool submit(SampleJob job);
  // Runs `task` on the worker's thread and waits for it. False if the worker has ended.
  bool ask(const std::function<void(Session&)>& task);
  // A repeated key is answered with the earlier outcome, and nothing is changed;
  // ErrorCode::mismatch if the key was used for another operation.
  Result<OperationOutcome> apply(const Operation& operation);

  // Must outlive the requests; null: none.
  void set_outlet(Outlet* outlet) { outlet_ = outlet; }
  // Like Session::decide() and Session::apply(), on the worker's thread and reported to the
  // observer.
  Result<Decided> fold(Rows<const double> embeddings, std::span<Decision> decisions,
                       const SampleNames& names);
  Result<OperationOutcome> carry_out(const Operation& operation);

  std::shared_ptr<const Published> published() const;
  std::size_t waiting() const;

 private:
  using Job = std::variant<SampleJob, std::function<void(Session&)>>;
  void run();
  void decide(std::vector<SampleJob>& group);
  static void refuse_conflict(std::vector<SampleJob>& group, std::size_t first,
                              const Decided& decided);
  void tell(std::span<const Decision> decisions, std::uint64_t samples_before);
  void answer(SampleJob& job, std::span<const Decision> decisions, std::uint64_t samples_before,
              std::uint64_t events_before, std::uint64_t& next);
  void publish();
  Result<std::optional<OperationOutcome>> repeated(Session& session, const Operation& operation);

  Session session_;
  Observer& observer_;
  Samples group_;  // scratch
  std::vector<Decision> decisions_;
  std::atomic<Outlet*> outlet_{nullptr};
  // Event numbers of operations by key; loaded when the first key comes. Used on the worker's
  // thread.
  std::optional<std::map<std::string, std::uint64_t>> operation_keys_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::deque<Job> line_;
  std::size_t rows_ = 0;  // number of waiting samples
  std::size_t bytes_ = 0;
  bool ending_ = false;
  std::shared_ptr<const Published> published_;
  std::thread thread_;
};

}  // namespace paco::server
