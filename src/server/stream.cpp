#include "server/stream.hpp"

#include <algorithm>

#include "core/try.hpp"
#include "methods/common/space_transform.hpp"

namespace paco::server {
namespace {

constexpr std::int64_t kRateSeconds = 10;
constexpr auto kDirectionsLast = std::chrono::seconds(2);
constexpr auto kKeywordsLast = std::chrono::seconds(30);
constexpr std::uint64_t kMapGrowth = 10;  // a map lasts until the stream has grown by a tenth

std::int64_t second_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

const char* stream_state_name(StreamState state) {
  switch (state) {
    case StreamState::opening:
      return "opening";
    case StreamState::calibrating:
      return "calibrating";
    case StreamState::ready:
      return "ready";
    case StreamState::failed:
      break;
  }
  return "failed";
}

Result<std::shared_ptr<Stream>> Stream::make(std::string name, Session session, bool durable) {
  std::shared_ptr<Stream> stream(new Stream(std::move(name), durable));
  PACO_TRY(stream->take(std::move(session)));
  return stream;
}

std::shared_ptr<Stream> Stream::begin(std::string name, StreamState state, bool durable,
                                      Maker maker, OnEnd on_end) {
  std::shared_ptr<Stream> stream(new Stream(std::move(name), durable));
  stream->status_.state = state;
  stream->maker_ = std::jthread([raw = stream.get(), maker = std::move(maker),
                                 on_end = std::move(on_end)](const std::stop_token& stop) {
    Result<void> done;
    {
      Result<Session> session = maker(*raw, stop);
      done = session.ok() ? raw->take(std::move(session).value()) : session.error();
    }
    if (!done.ok()) {
      const std::lock_guard lock(raw->mutex_);
      raw->status_.state = StreamState::failed;
      raw->status_.error = done.error();
    }
    if (on_end) on_end(*raw);
  });
  return stream;
}

Stream::~Stream() {
  maker_ = {};  // requests a stop and waits for it
  advice_.reset();
  // Close all readers first, so that closing the session leaves a journal of one file.
  sample_lists_.reset();
  keywords_reader_.reset();
  insight_reader_.reset();
  reader_.reset();
  worker_.reset();
}

// Reads the stream once for the data that is kept in memory, then starts the worker.
Result<void> Stream::take(Session session) {
  PACO_ASSIGN(journal::JournalReader reader, journal::JournalReader::open(session.path()));
  reader_.emplace(std::move(reader));
  model_ = std::shared_ptr<const Model>(std::make_shared<Model>(session.model()));
  PACO_ASSIGN(method_, method_info(session.method().name()));
  created_ = reader_->settings().created;
  series_ = std::make_unique<insight::Series>(method_->evidence);
  PACO_ASSIGN(const std::vector<OperationOutcome> past, session.history());
  PACO_TRY(insight::read_past(*reader_, session.samples(), past, members_, *series_));
  PACO_ASSIGN(journal::JournalReader second, reader_->another_reader());
  insight_reader_.emplace(std::move(second));
  PACO_ASSIGN(journal::JournalReader for_keywords, reader_->another_reader());
  keywords_reader_.emplace(std::move(for_keywords));
  PACO_ASSIGN(journal::JournalReader third, reader_->another_reader());
  sample_lists_.emplace(std::move(third));
  if (const PrototypeDirections* directions = session.method().directions()) {
    space_ = directions->transform();
  } else {
    space_ = std::make_shared<const methods::StandardTransform>(model_);
  }
  if (!past.empty()) operated_events_ = past.back().event + 1;
  for (std::size_t id = 0; id < model_->known_classes(); ++id) {
    PACO_ASSIGN(const std::uint64_t count,
                reader_->support_pictures(static_cast<std::int64_t>(id)));
    support_pictures_.push_back(count);
  }
  worker_ = std::make_unique<StreamWorker>(std::move(session), *this);
  advice_ = std::make_unique<Advice>([this] { return make_advice(); });
  const std::lock_guard lock(mutex_);
  status_.state = StreamState::ready;
  ready_ = true;
  return {};
}

StreamStatus Stream::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void Stream::progress(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  status_.done = done;
  status_.total = total;
}

void Stream::decided(const Decision& decision) {
  members_.add(decision.sequence, decision.prototype);
  series_->add(decision);
  ++group_samples_;
  group_births_ += decision.verdict == Verdict::created;
}

// Reads the clock once per group.
void Stream::committed() {
  if (group_samples_ == 0) return;
  births_ += group_births_;
  recent_hour_.add_samples(seconds_since_1970(), group_samples_, group_births_);
  const std::int64_t now = second_now();
  const auto at = static_cast<std::size_t>(now) % kSeconds;
  const std::lock_guard lock(rate_mutex_);
  if (second_[at] != now) per_second_[at] = 0;
  second_[at] = now;
  per_second_[at] += group_samples_;
  group_samples_ = group_births_ = 0;
}

void Stream::operated(const OperationOutcome& outcome) {
  members_.apply(outcome.edits);
  operated_events_ = outcome.event + 1;
}

// Callers wait while one of them computes new directions, and then share them.
std::shared_ptr<const insight::Directions> Stream::directions() {
  const std::lock_guard lock(directions_mutex_);
  const auto now = std::chrono::steady_clock::now();
  const bool current =
      directions_ != nullptr &&
      (directions_->events == worker_->published()->events ||
       (now - directions_time_ < kDirectionsLast && directions_->events >= operated_events_));
  if (!current) {
    insight::Directions made;
    worker_->ask([&](Session& session) {
      made = insight::directions_of(session.method(), session.events());
    });
    directions_ = std::make_shared<const insight::Directions>(std::move(made));
    directions_time_ = now;
  }
  return directions_;
}

Advice::Found Stream::make_advice() {
  const auto published = worker_->published();
  return std::make_shared<const Advice::Made>(Advice::Made{
      insight::insight_of({*method_, published->events, published->view, directions(), members_,
                           series_->steps(), &*insight_reader_, *keywords()}),
      published->view});
}

std::shared_ptr<const insight::Keywords> Stream::keywords() {
  const std::lock_guard lock(keywords_mutex_);
  const auto now = std::chrono::steady_clock::now();
  const auto published = worker_->published();
  const bool current =
      keywords_ != nullptr &&
      (keywords_events_ == published->events ||
       (now - keywords_time_ < kKeywordsLast && keywords_events_ >= operated_events_));
  if (!current) {
    Result<insight::Keywords> made =
        insight::keywords_in(*published->view, members_, *keywords_reader_);
    // Ignore an error here: other calls report a journal that cannot be read.
    keywords_ = std::make_shared<const insight::Keywords>(made.ok() ? std::move(made).value()
                                                                    : insight::Keywords{});
    keywords_events_ = published->events;
    keywords_time_ = now;
  }
  return keywords_;
}

std::shared_ptr<const SampleMap> Stream::sample_map(std::size_t count) {
  const std::lock_guard lock(sample_map_mutex_);
  const std::uint64_t samples = worker_->published()->view->samples;
  if (sample_map_ != nullptr && sample_map_->wanted == count &&
      samples - sample_map_->samples <= samples / kMapGrowth) {
    return sample_map_;
  }
  auto made = std::make_shared<SampleMap>();
  made->samples = samples;
  made->wanted = count;
  const std::uint64_t shown = std::min<std::uint64_t>(count, samples);
  std::vector<float> rows;
  for (std::uint64_t i = 0; i < shown; ++i) {
    // The newest sample is always included.
    const std::uint64_t sequence = samples - 1 - (shown - 1 - i) * samples / shown;
    const std::vector<float> unit = unit_of(sequence);
    if (unit.empty()) continue;
    made->sequences.push_back(sequence);
    rows.insert(rows.end(), unit.begin(), unit.end());
  }
  math::Matrix<float> units(made->sequences.size(), space_->dimension());
  for (std::size_t i = 0; i < units.rows(); ++i) {
    const auto from = rows.begin() + static_cast<std::ptrdiff_t>(i * space_->dimension());
    std::copy_n(from, space_->dimension(), units[i].begin());
  }
  made->places = insight::neighbour_layout(units);
  sample_map_ = std::move(made);
  return sample_map_;
}

std::vector<float> Stream::unit_of(std::uint64_t sequence) {
  const auto raw =
      read([&](journal::JournalReader& journal) { return journal.embedding(sequence); });
  if (!raw.ok() || !*raw) return {};
  const auto unit = space_->apply(**raw);
  return unit.ok() ? *unit : std::vector<float>();
}

double Stream::rate() const {
  const std::int64_t now = second_now();
  const std::lock_guard lock(rate_mutex_);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kSeconds; ++i) {
    if (second_[i] < now && second_[i] >= now - kRateSeconds) sum += per_second_[i];
  }
  return static_cast<double>(sum) / static_cast<double>(kRateSeconds);
}

void Stream::answered_after(std::chrono::steady_clock::duration delay) {
  const double seconds = std::chrono::duration<double>(delay).count();
  delay_histogram_.add(seconds);
  recent_hour_.add_answer(seconds_since_1970(), seconds);
  const std::lock_guard lock(delay_mutex_);
  delays_[delay_count_++ % delays_.size()] =
      std::chrono::duration<float, std::milli>(delay).count();
}

Delays Stream::delays() const {
  std::vector<float> sorted;
  Delays out;
  {
    const std::lock_guard lock(delay_mutex_);
    out.count = delay_count_;
    const auto kept = std::min<std::uint64_t>(delay_count_, delays_.size());
    sorted.assign(delays_.begin(), delays_.begin() + static_cast<std::ptrdiff_t>(kept));
  }
  if (sorted.empty()) return out;
  std::sort(sorted.begin(), sorted.end());
  out.p50_ms = sorted[sorted.size() / 2];
  out.p99_ms = sorted[sorted.size() * 99 / 100];
  return out;
}

}  // namespace paco::server
