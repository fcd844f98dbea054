// One stream of the server, from the moment its name is reserved (while it is calibrated or opened
// in the background) until it is ready: its worker, a reader of its journal, and its statistics.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "insight/insight.hpp"
#include "insight/sample_map.hpp"
#include "journal/reader.hpp"
#include "paco/session.hpp"
#include "server/advice.hpp"
#include "server/histogram.hpp"
#include "server/recent_hour.hpp"
#include "server/sample_list.hpp"
#include "server/stream_worker.hpp"

namespace paco::server {

enum class StreamState : std::uint8_t { opening, calibrating, ready, failed };
const char* stream_state_name(StreamState state);

struct StreamStatus {
  StreamState state = StreamState::opening;
  std::optional<Error> error;         // the reason of a failure
  std::uint64_t done = 0, total = 0;  // of a calibration; total 0: not known yet
};

// Samples in two dimensions, without those whose embeddings are not kept.
struct SampleMap {
  std::uint64_t samples = 0;  // in the stream when the map was made
  std::size_t wanted = 0;
  std::vector<std::uint64_t> sequences;
  std::vector<insight::Place> places;
};

struct Delays {
  std::uint64_t count = 0;
  double p50_ms = 0, p99_ms = 0;  // of the last requests
};

class Stream final : public StreamWorker::Observer {
 public:
  // Creates the session, on a separate thread.
  using Maker = std::function<Result<Session>(Stream&, std::stop_token)>;

  // Called on that thread when the stream is ready or has failed.
  using OnEnd = std::function<void(const Stream&)>;

  // The stream is ready when this returns.
  static Result<std::shared_ptr<Stream>> make(std::string name, Session session, bool durable);
  // The same in the background.
  static std::shared_ptr<Stream> begin(std::string name, StreamState state, bool durable,
                                       Maker maker, OnEnd on_end = {});
  ~Stream() override;

  const std::string& name() const { return name_; }
  StreamStatus status() const;
  // Reports the progress of a calibration.
  void progress(std::uint64_t done, std::uint64_t total);

  // While a stream is leaving service, clients that follow its events are disconnected.
  void leave() { is_leaving_ = true; }
  void stay() { is_leaving_ = false; }
  bool is_leaving() const { return is_leaving_; }

  // The following functions are only for a stream that is ready.
  bool ready() const { return ready_; }
  StreamWorker& worker() { return *worker_; }
  const Model& model() const { return *model_; }
  const MethodInfo& method() const { return *method_; }
  double created() const { return created_; }
  bool durable() const { return durable_; }
  const insight::MemberIndex& members() const { return members_; }
  SampleLists& sample_lists() { return *sample_lists_; }
  const insight::Series& series() const { return *series_; }
  // Runs body(journal) on a reader that is used for this only; one call at a time.
  template <class Body>
  auto read(Body body) {
    const std::lock_guard lock(reader_mutex_);
    return body(*reader_);
  }

  // At most a few seconds old, and newer than the last operation.
  std::shared_ptr<const insight::Directions> directions();
  // At most half a minute old, and newer than the last operation.
  std::shared_ptr<const insight::Keywords> keywords();
  // A map of `count` samples, evenly spaced along the stream. Cached until the stream has grown by
  // a tenth or another `count` is requested.
  std::shared_ptr<const SampleMap> sample_map(std::size_t count);
  // Suggestions and warnings; and the number of events that they must include: up to the last
  // operation.
  Advice& advice() { return *advice_; }
  std::uint64_t advised_events() const { return operated_events_; }
  // The number of stored pictures of each known class.
  std::uint64_t support_pictures(CategoryId id) const {
    const auto at = static_cast<std::size_t>(id);
    return at < support_pictures_.size() ? support_pictures_[at] : 0;
  }
  // The space in which samples are compared: that of the method or, if the method has no
  // directions, that of standardised embeddings.
  const SpaceTransform& space() const { return *space_; }
  // A sample in that space; empty if its embedding is not kept.
  std::vector<float> unit_of(std::uint64_t sequence);

  double rate() const;  // samples per second over the last ten seconds
  const RecentHour& recent_hour() const { return recent_hour_; }
  void answered_after(std::chrono::steady_clock::duration delay);
  Delays delays() const;
  const Histogram& delay_histogram() const { return delay_histogram_; }
  std::uint64_t births() const { return births_; }

  void decided(const Decision& decision) override;
  void operated(const OperationOutcome& outcome) override;
  void committed() override;

 private:
  Stream(std::string name, bool durable) : name_(std::move(name)), durable_(durable) {}
  Result<void> take(Session session);
  Advice::Found make_advice();

  const std::string name_;
  const bool durable_;
  mutable std::mutex mutex_;  // guards status_
  StreamStatus status_;
  std::atomic<bool> ready_{false}, is_leaving_{false};

  std::shared_ptr<const Model> model_;
  const MethodInfo* method_ = nullptr;
  double created_ = 0;
  std::shared_ptr<const SpaceTransform> space_;
  insight::MemberIndex members_;
  std::unique_ptr<insight::Series> series_;
  std::optional<SampleLists> sample_lists_;
  std::mutex reader_mutex_;
  std::optional<journal::JournalReader> reader_;
  std::optional<journal::JournalReader> insight_reader_;  // for the thread of advice_
  std::vector<std::uint64_t> support_pictures_;

  static constexpr std::size_t kSeconds = 16;
  mutable std::mutex rate_mutex_;
  std::array<std::uint64_t, kSeconds> per_second_{};
  std::array<std::int64_t, kSeconds> second_{};
  std::atomic<std::uint64_t> births_{0}, operated_events_{0};
  std::uint64_t group_samples_ = 0, group_births_ = 0;  // since the last commit; used by the worker
  RecentHour recent_hour_;

  Histogram delay_histogram_;
  mutable std::mutex delay_mutex_;
  std::uint64_t delay_count_ = 0;
  std::array<float, 4096> delays_{};

  std::optional<journal::JournalReader> keywords_reader_;  // guarded by keywords_mutex_
  std::shared_ptr<const insight::Keywords> keywords_;
  std::uint64_t keywords_events_ = 0;
  std::chrono::steady_clock::time_point keywords_time_{};
  std::shared_ptr<const SampleMap> sample_map_;  // guarded by sample_map_mutex_
  std::mutex directions_mutex_, keywords_mutex_, sample_map_mutex_;
  std::shared_ptr<const insight::Directions> directions_;
  std::chrono::steady_clock::time_point directions_time_{};

  std::unique_ptr<StreamWorker> worker_;  // destroyed before all members above
  std::unique_ptr<Advice> advice_;        // destroyed before worker_, which it uses
  std::jthread maker_;
};

}  // namespace paco::server
