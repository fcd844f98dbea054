#include "bus/front.hpp"

#include <fmt/format.h>

#include <random>

#include "bus/event.hpp"
#include "bus/publisher.hpp"
#include "bus/replica_journal.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"
#include "session/session_parts.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kMostRows = 65'536;  // samples that may wait before senders are sent away
constexpr std::size_t kOperations = 4096;  // whose records are kept

// The session of a stream that the server holds: everybody who looks at it is told.
class StreamHolder final : public Holder {
 public:
  explicit StreamHolder(server::StreamWorker& lane) : worker_(lane) {}
  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names) override {
    return worker_.fold(embeddings, decisions, names);
  }
  Result<OperationOutcome> apply(const Operation& operation) override {
    return worker_.carry_out(operation);
  }
  void ask(const std::function<void(Session&)>& task) override { worker_.ask(task); }

 private:
  server::StreamWorker& worker_;
};

std::string fresh_prefix() {
  std::random_device device;
  return fmt::format("serve-{:08x}{:08x}-", device(), device());
}

const Error kLeaving{ErrorCode::interrupted, "the server is shutting down", "send it again later"};

}  // namespace

Front::Front(std::shared_ptr<Connection> connection, StreamSettings settings, std::string name,
             Note note)
    : connection_(std::move(connection)),
      settings_(std::move(settings)),
      name_(std::move(name)),
      note_(std::move(note)),
      prefix_(fresh_prefix()) {}

Result<std::unique_ptr<Front>> Front::open(const std::shared_ptr<Connection>& connection,
                                           const std::string& stream, const std::string& folder,
                                           const std::string& name, Note note,
                                           const std::stop_token& stop) {
  PACO_ASSIGN(StreamSettings settings, read_settings(*connection, stream, stop));
  const std::string journal = fmt::format("{}/{}.journal", folder, stream);
  PACO_ASSIGN(OpenedJournal opened, open_replica_journal(connection, settings, journal, 1, stop));
  std::unique_ptr<Front> front(new Front(connection, std::move(settings), name, std::move(note)));
  PACO_ASSIGN(front->outbox_, Outbox::open(connection, fmt::format("publishing to '{}'", stream)));
  front->outbox_->spare(jetstream_of(stream, Part::events));
  PACO_ASSIGN(front->stream_, server::Stream::make(stream, std::move(opened.session), true));
  Front* raw = front.get();
  front->stream_->worker().set_outlet(raw);
  front->follower_ = std::jthread([raw](const std::stop_token& end) { raw->follow(end); });
  front->sender_ = std::jthread([raw](const std::stop_token& end) { raw->send(end); });
  return front;
}

Front::~Front() {
  if (stream_) stream_->worker().set_outlet(nullptr);
  sender_ = {};
  follower_ = {};
  Done done;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& request : line_) give_up(request, kLeaving, done);
    while (!waiting_.empty()) give_up(waiting_.begin()->second.request, kLeaving, done);
    stopped_ = kLeaving;
  }
  changed_.notify_all();
  answer(done);
}

void Front::follow(const std::stop_token& stop) {
  StreamHolder holder(stream_->worker());
  ReplicaOptions options;
  options.speaker = name_;
  options.note = note_;
  options.stands = [this](const Group& group) { stands(group); };
  Replica replica(connection_, settings_, holder, std::move(options));
  Result<void> done = replica.start(stop);
  if (done.ok()) {
    {
      const std::lock_guard lock(mutex_);
      standing_ = replica.standing();
      samples_ = replica.folded().samples;
    }
    done = replica.run(0, stop);
  }
  if (done.ok() || stop.stop_requested()) return;
  if (note_) note_(fmt::format("stops '{}': {}", settings_.name, done.error().message));
  Done refused;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = done.error();
    for (const auto& request : line_) give_up(request, *stopped_, refused);
    line_.clear();
    while (!waiting_.empty()) give_up(waiting_.begin()->second.request, *stopped_, refused);
  }
  changed_.notify_all();
  answer(refused);
}

bool Front::submit(server::SampleJob job) {
  auto request = std::make_shared<Request>();
  const std::size_t rows = job.samples->rows;
  request->job = std::move(job);
  request->open = rows;
  request->since = std::chrono::steady_clock::now();
  request->answer.samples = request->job.samples;
  request->answer.decisions.resize(rows);
  request->answer.events.resize(rows);
  request->answer.repeated.resize(rows);
  {
    const std::lock_guard lock(mutex_);
    if (rows_ > 0 && rows_ + rows > kMostRows) return false;
    if (stopped_) {
      request->bad = server::BadSample{*stopped_, std::nullopt};
    } else {
      rows_ += rows;
      line_.push_back(request);
    }
  }
  changed_.notify_all();
  if (request->bad || rows == 0) answer({request});
  return true;
}

void Front::send(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::shared_ptr<Request> request;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !line_.empty(); })) return;
      request = line_.front();
      line_.pop_front();
    }
    if (request->open == 0) continue;
    const Result<void> published = publish(request, stop);
    if (published.ok()) continue;
    Done done;
    {
      const std::lock_guard lock(mutex_);
      give_up(request, published.error(), done);
    }
    answer(done);
  }
}

Result<void> Front::publish(const std::shared_ptr<Request>& request, const std::stop_token& stop) {
  const server::Samples& samples = *request->job.samples;
  const auto text = [](const std::vector<std::string>& list, std::size_t i) {
    return list.empty() ? std::string() : list[i];
  };
  request->keys.resize(samples.rows);
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < samples.rows; ++i) {
      request->keys[i] = text(samples.keys, i);
      if (request->keys[i].empty()) request->keys[i] = fmt::format("{}{}", prefix_, made_keys_++);
      waiting_.emplace(request->keys[i], Row{request, i});
    }
  }
  // A key that the stream has is answered from the journal; JetStream would drop it.
  std::vector<std::optional<Decision>> seen(samples.rows);
  Result<void> looked;
  if (!samples.keys.empty()) {
    stream_->worker().ask([&](Session& session) {
      for (std::size_t i = 0; i < samples.rows && looked.ok(); ++i) {
        Result<std::optional<Decision>> found = session.parts().find_key(request->keys[i]);
        if (found.ok()) {
          seen[i] = *found;
        } else {
          looked = found.error();
        }
      }
    });
  }
  PACO_TRY(looked);
  const std::string subject = subject_of(settings_.name, Part::events);
  for (std::size_t i = 0; i < samples.rows; ++i) {
    if (seen[i]) {
      Record record;
      record.kind = RecordKind::decided;
      record.decision = *seen[i];
      Done done;
      {
        const std::lock_guard lock(mutex_);
        settle(request->keys[i], record, true, done);
      }
      answer(done);
      continue;
    }
    const auto row = samples.view()[i];
    const SampleEvent sample{request->keys[i],
                             text(samples.ids, i),
                             text(samples.attributes, i),
                             text(samples.pictures, i),
                             {row.begin(), row.end()}};
    PACO_TRY(outbox_->put(subject, sample.key, event_bytes(sample, false), stop));
  }
  return outbox_->flush(stop);
}

void Front::stands(const Group& group) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    std::uint64_t event = group.first;
    for (const Record& record : group.records) {
      if (record.key.empty()) operations_.emplace(event, record);
      ++event;
      if (record.key.empty()) continue;
      const bool fresh = record.kind == RecordKind::decided && record.decision.sequence >= samples_;
      if (fresh) samples_ = record.decision.sequence + 1;
      settle(record.key, record, !fresh, done);
    }
    while (operations_.size() > kOperations) operations_.erase(operations_.begin());
    standing_ = group.last();
  }
  changed_.notify_all();
  answer(done);
}

void Front::settle(const std::string& key, const Record& record, bool repeated, Done& done) {
  const auto [first, last] = waiting_.equal_range(key);
  for (auto at = first; at != last; ++at) {
    Request& request = *at->second.request;
    const std::size_t row = at->second.row;
    if (record.kind == RecordKind::decided) {
      request.answer.decisions[row] = record.decision;
      request.answer.repeated[row] = repeated;
    } else if (!request.bad) {
      request.bad = server::BadSample{
          {ErrorCode::bad_value, fmt::format("sample {} {}", row, record.text), ""}, row};
    }
    --rows_;
    if (--request.open == 0) done.push_back(at->second.request);
  }
  waiting_.erase(first, last);
}

void Front::give_up(const std::shared_ptr<Request>& request, const Error& error, Done& done) {
  for (const std::string& key : request->keys) {
    const auto [first, last] = waiting_.equal_range(key);
    for (auto at = first; at != last;)
      at = at->second.request == request ? waiting_.erase(at) : std::next(at);
  }
  if (request->open == 0) return;
  rows_ -= request->open;
  request->open = 0;
  request->bad = server::BadSample{error, std::nullopt};
  done.push_back(request);
}

void Front::answer(const Done& done) {
  for (const auto& request : done) {
    if (request->bad) {
      request->job.done(*request->bad);
      continue;
    }
    server::SampleAnswer& answer = request->answer;
    stream_->worker().ask([&](Session& session) {
      for (std::size_t i = 0; i < answer.decisions.size(); ++i) {
        const std::uint64_t sequence = answer.decisions[i].sequence;
        const auto stored = session.parts().journal->sample(sequence);
        answer.events[i] = stored.ok() && *stored ? (*stored)->event : sequence;
      }
    });
    answer.after = stream_->worker().published();
    request->job.done(std::move(answer));
  }
}

Result<OperationOutcome> Front::apply(const Operation& operation) {
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    id = fmt::format("{}{}", prefix_, made_keys_++);
  }
  PACO_ASSIGN(const std::uint64_t event,
              publish_operation(*connection_, settings_.name, operation, id, {}));
  Record record;
  {
    std::unique_lock lock(mutex_);
    const bool there =
        changed_.wait_for(lock, std::chrono::duration<double>(connection_->patience()),
                          [&] { return stopped_.has_value() || standing_ >= event; });
    if (stopped_) return *stopped_;
    const auto found = operations_.find(event);
    if (!there || found == operations_.end()) {
      return Error{ErrorCode::io,
                   fmt::format("the operation is event {}, and not yet decided", event),
                   "it will be; look at the history in a moment"};
    }
    record = found->second;
  }
  if (record.kind != RecordKind::operated) return Error{ErrorCode::bad_value, record.text, ""};
  Result<std::vector<OperationOutcome>> past = std::vector<OperationOutcome>();
  stream_->worker().ask([&](Session& session) { past = session.history(); });
  PACO_TRY(past);
  for (OperationOutcome& outcome : *past)
    if (outcome.event == record.session) return std::move(outcome);
  return Error{ErrorCode::io, fmt::format("event {} is not in the journal", record.session), ""};
}

}  // namespace paco::bus
