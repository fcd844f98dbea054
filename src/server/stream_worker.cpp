#include "server/stream_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "session/operations/operation_json.hpp"

namespace paco::server {
namespace {

// Samples per group. More would not make a sync cheaper, and would delay answers.
constexpr std::size_t kGroupRows = 2048;
// Samples and bytes that may wait before further requests are refused.
constexpr std::size_t kWaitingRows = 262'144;
constexpr std::size_t kWaitingBytes = std::size_t{512} << 20;

std::size_t bytes_of(const Samples& samples) { return samples.embeddings.size() * sizeof(double); }

const Error kEnded{ErrorCode::interrupted, "the server is shutting down", "send it again later"};

// Each list of names is empty or has one entry per row; the group's list has one per row if any
// part has one.
void append(std::vector<std::string>& list, const std::vector<std::string>& part,
            std::size_t before, std::size_t rows) {
  if (part.empty() && list.empty()) return;
  list.resize(before);
  list.insert(list.end(), part.begin(), part.end());
  list.resize(before + rows);
}

}  // namespace

StreamWorker::StreamWorker(Session session, Observer& listener)
    : session_(std::move(session)), observer_(listener) {
  publish();
  thread_ = std::thread([this] { run(); });
}

StreamWorker::~StreamWorker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
  (void)session_.close();
}

bool StreamWorker::submit(SampleJob job) {
  if (Outlet* outlet = outlet_) return outlet->submit(std::move(job));
  {
    const std::lock_guard lock(mutex_);
    const std::size_t rows = job.samples->rows, bytes = bytes_of(*job.samples);
    if (ending_) return false;
    // If nothing else waits, a request is accepted whatever its size.
    if (!line_.empty() && (rows_ + rows > kWaitingRows || bytes_ + bytes > kWaitingBytes))
      return false;
    rows_ += rows;
    bytes_ += bytes;
    line_.emplace_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

bool StreamWorker::ask(const std::function<void(Session&)>& task) {
  std::promise<bool> done;
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
    line_.emplace_back(std::function<void(Session&)>([&](Session& session) {
      task(session);
      done.set_value(true);
    }));
  }
  wake_.notify_one();
  return done.get_future().get();
}

Result<OperationOutcome> StreamWorker::apply(const Operation& operation) {
  Outlet* const outlet = outlet_;
  if (outlet == nullptr) return carry_out(operation);
  if (!operation.key.empty()) {
    Result<std::optional<OperationOutcome>> before = kEnded;
    ask([&](Session& session) { before = repeated(session, operation); });
    if (!before.ok()) return before.error();
    if (*before) return std::move(**before);
  }
  return outlet->apply(operation);
}

Result<std::optional<OperationOutcome>> StreamWorker::repeated(Session& session,
                                                               const Operation& operation) {
  std::optional<OperationOutcome> none;
  if (operation.key.empty()) return none;
  std::vector<OperationOutcome> past;
  if (!operation_keys_) {
    PACO_ASSIGN(past, session.history());
    operation_keys_.emplace();
    for (const OperationOutcome& one : past)
      if (!one.operation.key.empty()) operation_keys_->emplace(one.operation.key, one.event);
  }
  const auto found = operation_keys_->find(operation.key);
  if (found == operation_keys_->end()) return none;
  if (past.empty()) {
    PACO_ASSIGN(past, session.history());
  }
  const auto before = std::find_if(past.begin(), past.end(), [&](const OperationOutcome& one) {
    return one.event == found->second;
  });
  if (before == past.end()) return none;
  Operation same = before->operation;
  same.actor = operation.actor;
  if (session::operation_json(same) == session::operation_json(operation)) return {*before};
  return Error{ErrorCode::mismatch,
               fmt::format("the key '{}' came with another operation, event {}", operation.key,
                           before->event),
               "choose a new key for every operation"};
}

Result<Decided> StreamWorker::fold(Rows<const double> embeddings, std::span<Decision> decisions,
                                   const SampleNames& names) {
  Result<Decided> decided = kEnded;
  ask([&](Session& session) {
    const std::uint64_t before = session.samples();
    decided = session.decide(embeddings, decisions, names);
    if (decided.ok()) tell(decisions.first(decided->rows), before);
  });
  return decided;
}

// Reports the decisions that are not repetitions.
void StreamWorker::tell(std::span<const Decision> decisions, std::uint64_t samples_before) {
  std::uint64_t next = samples_before;
  for (const Decision& decision : decisions) {
    if (decision.sequence != next) continue;
    observer_.decided(decision);
    ++next;
  }
  publish();
  observer_.committed();
}

Result<OperationOutcome> StreamWorker::carry_out(const Operation& operation) {
  Result<OperationOutcome> outcome = kEnded;
  ask([&](Session& session) {
    Result<std::optional<OperationOutcome>> before = repeated(session, operation);
    if (!before.ok() || *before) {
      outcome = before.ok() ? Result<OperationOutcome>(**before) : before.error();
      return;
    }
    outcome = session.apply(operation);
    if (!outcome.ok()) return;
    if (operation_keys_ && !operation.key.empty())
      operation_keys_->emplace(operation.key, outcome->event);
    observer_.operated(*outcome);
    publish();
    observer_.committed();
  });
  return outcome;
}

std::shared_ptr<const Published> StreamWorker::published() const {
  const std::lock_guard lock(mutex_);
  return published_;
}

std::size_t StreamWorker::waiting() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

void StreamWorker::publish() {
  auto fresh = std::make_shared<Published>();
  fresh->view = session_.view();
  fresh->events = session_.events();
  const std::lock_guard lock(mutex_);
  published_ = std::move(fresh);
}

void StreamWorker::run() {
  std::vector<SampleJob> group;
  for (;;) {
    std::function<void(Session&)> task;
    group.clear();
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || !line_.empty(); });
      if (line_.empty()) return;
      std::size_t rows = 0;
      while (!line_.empty() && rows < kGroupRows) {
        auto* samples = std::get_if<SampleJob>(&line_.front());
        if (samples == nullptr) break;
        rows += samples->samples->rows;
        bytes_ -= bytes_of(*samples->samples);
        group.push_back(std::move(*samples));
        line_.pop_front();
      }
      rows_ -= rows;
      if (group.empty()) {
        task = std::move(std::get<1>(line_.front()));
        line_.pop_front();
      }
    }
    if (task) {
      task(session_);
    } else {
      decide(group);
    }
  }
}

// Decides a group with one call. If a row cannot be decided, its request is refused, the requests
// before it are kept and those after it are decided next. (Requests are checked earlier, so this
// happens only with a method that is stricter than its model.)
void StreamWorker::decide(std::vector<SampleJob>& group) {
  std::size_t first = 0;
  while (first < group.size()) {
    group_.rows = 0;
    group_.embeddings.clear();
    for (auto* list : {&group_.keys, &group_.ids, &group_.attributes, &group_.pictures})
      list->clear();
    for (std::size_t i = first; i < group.size(); ++i) {
      const Samples& part = *group[i].samples;
      group_.dimension = part.dimension;
      group_.embeddings.insert(group_.embeddings.end(), part.embeddings.begin(),
                               part.embeddings.end());
      append(group_.keys, part.keys, group_.rows, part.rows);
      append(group_.ids, part.ids, group_.rows, part.rows);
      append(group_.attributes, part.attributes, group_.rows, part.rows);
      append(group_.pictures, part.pictures, group_.rows, part.rows);
      group_.rows += part.rows;
    }
    // After a disk error the session is ahead of its journal until it is rebuilt.
    const Result<void> current = session_.recover();
    const std::uint64_t samples_before = session_.samples(), events_before = session_.events();
    decisions_.resize(group_.rows);
    const SampleNames names{group_.keys, group_.ids, group_.attributes, group_.pictures, true};
    const Result<Decided> decided = current.ok() ? session_.decide(group_.view(), decisions_, names)
                                                 : Result<Decided>(current.error());
    if (!decided.ok()) {
      for (; first < group.size(); ++first)
        group[first].done(BadSample{decided.error(), std::nullopt});
      return;
    }
    if (decided->conflict) {
      refuse_conflict(group, first, *decided);
      continue;
    }
    tell(std::span(decisions_).first(decided->rows), samples_before);
    std::uint64_t next = samples_before;
    std::size_t row = 0;
    for (; first < group.size(); ++first) {
      const std::size_t rows = group[first].samples->rows;
      if (row + rows > decided->rows) break;
      answer(group[first], std::span(decisions_).subspan(row, rows), samples_before, events_before,
             next);
      row += rows;
    }
    if (first < group.size() && decided->refused) {
      const std::size_t at = decided->rows - row;
      Error error = *decided->refused;
      error.message = fmt::format("sample {} {}", at, error.message);
      group[first++].done(BadSample{std::move(error), at});
    }
  }
}

// No sample of the group was decided: refuse the request with the conflicting row and try the
// others again.
void StreamWorker::refuse_conflict(std::vector<SampleJob>& group, std::size_t first,
                                   const Decided& decided) {
  std::size_t at = first, row = *decided.conflict;
  while (row >= group[at].samples->rows) row -= group[at++].samples->rows;
  Error error = *decided.refused;
  error.message = fmt::format("sample {} {}", row, error.message);
  group[at].done(BadSample{std::move(error), row});
  group.erase(group.begin() + static_cast<std::ptrdiff_t>(at));
}

void StreamWorker::answer(SampleJob& job, std::span<const Decision> decisions,
                          std::uint64_t samples_before, std::uint64_t events_before,
                          std::uint64_t& next) {
  SampleAnswer out;
  out.samples = job.samples;
  out.after = published();
  out.decisions.assign(decisions.begin(), decisions.end());
  out.events.reserve(decisions.size());
  out.repeated.reserve(decisions.size());
  for (const Decision& decision : decisions) {
    const bool fresh = decision.sequence == next;
    next += fresh;
    out.repeated.push_back(!fresh);
    if (decision.sequence >= samples_before) {
      out.events.push_back(events_before + (decision.sequence - samples_before));
      continue;
    }
    const auto event = session_.event_of(decision.sequence);
    out.events.push_back(event.ok() && *event ? **event : decision.sequence);
  }
  job.done(std::move(out));
}

}  // namespace paco::server
