// The one thread that a stream belongs to. Requests wait in a line; all samples that are waiting
// are decided as one group and share one sync of the disk, so that a thousand senders of single
// samples cost hardly more than one. Everything else that needs the session runs between two
// groups.
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

// The memory after a group, for readers.
struct Published {
  std::shared_ptr<const MemoryView> view;
  std::uint64_t events = 0;
};

// What became of the samples of one request.
struct SampleAnswer {
  std::vector<Decision> decisions;
  std::vector<std::uint64_t> events;
  std::vector<char> repeated;  // answered by their key
  std::shared_ptr<const Published> after;
  std::shared_ptr<const Samples> samples;
};

struct SampleJob {
  std::shared_ptr<const Samples> samples;
  std::function<void(std::variant<SampleAnswer, BadSample>)> done;  // on the owner's thread
};

class StreamWorker {
 public:
  // Sees every fresh decision and every operation once it is on the disk, on the owner's thread.
  struct Observer {
    virtual ~Observer() = default;
    virtual void decided(const Decision& decision) = 0;
    virtual void operated(const OperationOutcome& outcome) = 0;
    virtual void committed() = 0;  // after a group or an operation
  };

  // Where requests go first when the order of events is made elsewhere. The session then takes what
  // fold() and carry_out() bring from there, and nothing else.
  struct Outlet {
    virtual ~Outlet() = default;
    virtual bool submit(SampleJob job) = 0;
    virtual Result<OperationOutcome> apply(const Operation& operation) = 0;
  };

  StreamWorker(Session session, Observer& listener);
  ~StreamWorker();  // what waits is still done; then the session is closed

  // False where too much is waiting.
  bool submit(SampleJob job);
  // Runs `task` on the owner's thread and waits for it. False where the lane has ended.
  bool ask(const std::function<void(Session&)>& task);
  // One whose key came before is answered with what it did then, and nothing is done;
  // ErrorCode::mismatch if it was another operation.
  Result<OperationOutcome> apply(const Operation& operation);

  // Outlives the requests; null: there is none.
  void set_outlet(Outlet* outlet) { outlet_ = outlet; }
  // As Session::decide() and Session::apply(), on the owner's thread, and the observer sees it.
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
  // The events of operations by their keys, read when the first key comes; on the owner's thread.
  std::optional<std::map<std::string, std::uint64_t>> operation_keys_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_;
  std::deque<Job> line_;
  std::size_t rows_ = 0;  // of samples that wait
  std::size_t bytes_ = 0;
  bool ending_ = false;
  std::shared_ptr<const Published> published_;
  std::thread thread_;
};

}  // namespace paco::server
