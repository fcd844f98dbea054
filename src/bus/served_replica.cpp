#include "bus/served_replica.hpp"

#include <fmt/format.h>

#include <random>

#include "bus/event.hpp"
#include "bus/nats_log.hpp"
#include "bus/publisher.hpp"
#include "bus/replica_journal.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kMaxRows = 65'536;  // samples that may wait before requests are refused

// The session of a stream that the server holds: changes are visible to its readers.
class WorkerState final : public SessionState {
 public:
  explicit WorkerState(server::StreamWorker& worker) : worker_(worker) {}
  Result<Decided> decide(Rows<const double> embeddings, std::span<Decision> decisions,
                         const SampleNames& names) override {
    return worker_.fold(embeddings, decisions, names);
  }
  Result<OperationOutcome> apply(const Operation& operation) override {
    return worker_.carry_out(operation);
  }

 private:
  void run(const std::function<void(Session&)>& task) override { worker_.ask(task); }

  server::StreamWorker& worker_;
};

std::string fresh_prefix() {
  std::random_device device;
  return fmt::format("serve-{:08x}{:08x}-", device(), device());
}

const Error kLeaving{ErrorCode::interrupted, "the server is shutting down", "send it again later"};

}  // namespace

ServedReplica::ServedReplica(std::shared_ptr<Connection> connection, StreamSettings settings,
                             std::string name, Note note)
    : connection_(std::move(connection)),
      settings_(std::move(settings)),
      name_(std::move(name)),
      note_(std::move(note)),
      prefix_(fresh_prefix()) {}

Result<std::unique_ptr<ServedReplica>> ServedReplica::open(
    const std::shared_ptr<Connection>& connection, const std::string& stream,
    const std::string& folder, const std::string& name, Note note, const std::stop_token& stop) {
  PACO_ASSIGN(StreamSettings settings, read_settings(*connection, stream, stop));
  const std::string journal = fmt::format("{}/{}.journal", folder, stream);
  PACO_ASSIGN(OpenedJournal opened, open_replica_journal(connection, settings, journal, 1, stop));
  std::unique_ptr<ServedReplica> served(
      new ServedReplica(connection, std::move(settings), name, std::move(note)));
  PACO_ASSIGN(served->publisher_,
              open_publisher(connection, fmt::format("publishing to '{}'", stream), stream));
  PACO_ASSIGN(served->stream_, server::Stream::make(stream, std::move(opened.session), true));
  ServedReplica* raw = served.get();
  served->stream_->worker().set_outlet(raw);
  served->replica_ = std::jthread([raw](const std::stop_token& end) { raw->replicate(end); });
  served->sender_ = std::jthread([raw](const std::stop_token& end) { raw->publish_all(end); });
  return served;
}

ServedReplica::~ServedReplica() {
  if (stream_) stream_->worker().set_outlet(nullptr);
  sender_ = {};
  replica_ = {};
  Done done;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = kLeaving;
    give_up_all(kLeaving, done);
  }
  changed_.notify_all();
  answer(done);
}

void ServedReplica::replicate(const std::stop_token& stop) {
  NatsStreamLog log(connection_, settings_.name);
  WorkerState state(stream_->worker());
  ReplicaOptions options;
  options.name = name_;
  options.note = note_;
  options.on_committed = [this](const Group& group) { committed(group); };
  Replica replica(log, settings_, state, std::move(options));
  Result<void> done = replica.start(stop);
  if (done.ok()) {
    {
      const std::lock_guard lock(mutex_);
      answers_.start(replica.committed(), replica.folded().samples);
      started_ = true;
    }
    changed_.notify_all();
    done = replica.run(0, stop);
  }
  if (done.ok() || stop.stop_requested()) return;
  if (note_) note_(fmt::format("stops '{}': {}", settings_.name, done.error().message));
  Done refused;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = done.error();
    give_up_all(*stopped_, refused);
  }
  changed_.notify_all();
  answer(refused);
}

bool ServedReplica::submit(server::SampleJob job) {
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
    if (rows_ > 0 && rows_ + rows > kMaxRows) return false;
    if (stopped_) {
      request->bad = server::BadSample{*stopped_, std::nullopt};
    } else {
      rows_ += rows;
      unpublished_.push_back(request);
    }
  }
  changed_.notify_all();
  if (request->bad || rows == 0) answer({request});
  return true;
}

void ServedReplica::publish_all(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::shared_ptr<Request> request;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return started_ && !unpublished_.empty(); })) return;
      request = unpublished_.front();
      unpublished_.pop_front();
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

Error ServedReplica::refuse(Request& request, std::size_t row, Error error) {
  error.message = fmt::format("sample {} {}", row, error.message);
  request.bad = server::BadSample{error, row};
  return error;
}

// The events of a request. Everything that replicas would refuse is refused here, so that a refusal
// on the bus always concerns another publisher's event and is never the answer to a request.
Result<std::vector<Append>> ServedReplica::events_of(Request& request) {
  const server::Samples& samples = *request.job.samples;
  const auto text = [](const std::vector<std::string>& list, std::size_t i) {
    return list.empty() ? std::string() : list[i];
  };
  const std::string subject = subject_of(settings_.name, Part::events);
  std::vector<Append> events;
  for (std::size_t i = 0; i < samples.rows; ++i) {
    const auto row = samples.view()[i];
    const SampleEvent sample{request.keys[i],
                             text(samples.ids, i),
                             text(samples.attributes, i),
                             text(samples.pictures, i),
                             {row.begin(), row.end()}};
    events.push_back({subject, event_bytes(sample, false), sample.key});
    const Result<Event> parsed = parse_event(events.back().bytes);
    if (!parsed.ok()) return refuse(request, i, parsed.error());
  }
  std::optional<Error> refused;
  std::size_t row = 0;
  stream_->worker().ask([&](Session& session) {
    for (; row < samples.rows; ++row)
      if ((refused = session.method().check(samples.view()[row]))) return;
  });
  if (refused) return refuse(request, row, *refused);
  return events;
}

Result<void> ServedReplica::publish(const std::shared_ptr<Request>& request,
                                    const std::stop_token& stop) {
  const server::Samples& samples = *request->job.samples;
  request->keys = samples.keys;
  request->keys.resize(samples.rows);
  {
    const std::lock_guard lock(mutex_);
    for (std::string& key : request->keys)
      if (key.empty()) key = fmt::format("{}{}", prefix_, made_keys_++);
  }
  PACO_ASSIGN(std::vector<Append> events, events_of(*request));
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < samples.rows; ++i)
      answers_.wait_for(request->keys[i], Row{request, i});
  }
  // A key that the stream already has is not published again. It is answered from the journal, or
  // when its decision is committed.
  std::vector<std::optional<Decision>> seen(samples.rows);
  Result<void> looked;
  if (!samples.keys.empty()) {
    stream_->worker().ask([&](Session& session) {
      for (std::size_t i = 0; i < samples.rows && looked.ok(); ++i) {
        Result<std::optional<Decision>> found = session.find(request->keys[i]);
        if (found.ok()) {
          seen[i] = *found;
        } else {
          looked = found.error();
        }
      }
    });
  }
  PACO_TRY(looked);
  for (std::size_t i = 0; i < samples.rows; ++i) {
    if (!seen[i]) {
      PACO_TRY(publisher_->put(std::move(events[i]), stop));
      continue;
    }
    Record record;
    record.kind = RecordKind::decided;
    static_cast<Decision&>(record) = *seen[i];
    Done done;
    {
      const std::lock_guard lock(mutex_);
      if (!answers_.committed(record.sequence)) continue;
      answers_.resolve(request->keys[i], record, true,
                       [&](const Row& row, const Record& found, bool repeated) {
                         take_answer(row, found, repeated, done);
                       });
    }
    answer(done);
  }
  return publisher_->flush(stop);
}

void ServedReplica::committed(const Group& group) {
  Done done;
  {
    const std::lock_guard lock(mutex_);
    answers_.commit(group, [&](const Row& row, const Record& record, bool repeated) {
      take_answer(row, record, repeated, done);
    });
  }
  changed_.notify_all();
  answer(done);
}

void ServedReplica::take_answer(const Row& row, const Record& record, bool repeated, Done& done) {
  Request& request = *row.request;
  request.answer.decisions[row.row] = record;
  request.answer.repeated[row.row] = repeated;
  --rows_;
  if (--request.open == 0) done.push_back(row.request);
}

void ServedReplica::give_up(const std::shared_ptr<Request>& request, const Error& error,
                            Done& done) {
  for (const std::string& key : request->keys)
    answers_.remove(key, [&](const Row& row) { return row.request == request; });
  if (request->open == 0) return;
  rows_ -= request->open;
  request->open = 0;
  if (!request->bad) request->bad = server::BadSample{error, std::nullopt};
  done.push_back(request);
}

void ServedReplica::give_up_all(const Error& error, Done& done) {
  for (const auto& request : unpublished_) give_up(request, error, done);
  unpublished_.clear();
  while (const Row* row = answers_.any()) give_up(std::shared_ptr(row->request), error, done);
}

void ServedReplica::answer(const Done& done) {
  for (const auto& request : done) {
    if (request->bad) {
      request->job.done(*request->bad);
      continue;
    }
    server::SampleAnswer& answer = request->answer;
    stream_->worker().ask([&](Session& session) {
      for (std::size_t i = 0; i < answer.decisions.size(); ++i) {
        const std::uint64_t sequence = answer.decisions[i].sequence;
        const auto event = session.event_of(sequence);
        answer.events[i] = event.ok() && *event ? **event : sequence;
      }
    });
    answer.after = stream_->worker().published();
    request->job.done(std::move(answer));
  }
}

Result<OperationOutcome> ServedReplica::apply(const Operation& operation) {
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
                          [&] { return stopped_.has_value() || answers_.event() >= event; });
    if (stopped_) return *stopped_;
    const Record* found = there ? answers_.operation(event) : nullptr;
    if (found == nullptr) {
      return Error{ErrorCode::io,
                   fmt::format("the operation is event {}, and not yet decided", event),
                   "it will be; look at the history in a moment"};
    }
    record = *found;
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
