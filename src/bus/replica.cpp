#include "bus/replica.hpp"

#include <fmt/format.h>

#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kGroup = 256;                    // events folded at once
constexpr std::size_t kSaid = std::size_t{256} << 10;  // bytes of records published at once
constexpr std::size_t kAhead = 8192;                   // records that may wait to stand
constexpr std::size_t kBehind = 64;  // groups that may stand before they are folded here
constexpr std::size_t kLine = 1024;  // events that may wait to be folded
constexpr int kIdleMs = 20;
constexpr auto kUnheard = std::chrono::seconds(5);

std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }

}  // namespace

Replica::Replica(std::shared_ptr<Connection> connection, StreamSettings settings, Holder& holder,
                 ReplicaOptions options)
    : connection_(std::move(connection)),
      settings_(std::move(settings)),
      options_(std::move(options)),
      folding_(holder, settings_.dimension) {}

Result<void> Replica::run(std::uint64_t events, const std::stop_token& stop) {
  while (!stop.stop_requested() && (events == 0 || standing_.event < events)) PACO_TRY(step(stop));
  return {};
}

Result<void> Replica::step(const std::stop_token& stop) {
  const Result<void> listened = listen(stop);
  if (!listened.ok() && listened.error().code != ErrorCode::interrupted) return listened;
  PACO_TRY(fold());
  const Result<void> heard = hear(stop);
  if (!heard.ok() && heard.error().code != ErrorCode::interrupted) return heard;
  return speak();
}

Result<void> Replica::listen(const std::stop_token& stop) {
  if (line_.size() - line_at_ >= kLine || waiting_.size() >= kAhead) return {};
  line_.erase(line_.begin(), line_.begin() + static_cast<std::ptrdiff_t>(line_at_));
  line_at_ = 0;
  const bool idle = line_.empty() && waiting_.empty() && heard_.empty();
  inbox_.clear();
  PACO_TRY(events_->take(inbox_, kGroup, idle ? kIdleMs : 1, stop));
  for (const Message& message : inbox_) line_.push_back(parse_event(bytes_of(message.get())));
  return {};
}

void Replica::keep(Record record, const Place& after) {
  waiting_.push_back({std::move(record), after, now()});
}

Result<void> Replica::fold() {
  if (alone_ && waiting_.empty()) alone_ = false;
  while (line_at_ < line_.size() && !alone_ && waiting_.size() < kAhead) {
    const Result<Event>& front = line_[line_at_];
    const auto* operation = front.ok() ? std::get_if<OperationEvent>(&*front) : nullptr;
    if (operation != nullptr) {
      if (!waiting_.empty()) return {};
      PACO_ASSIGN(Record record, folding_.operation(*operation));
      keep(std::move(record), folding_.place());
      ++line_at_;
      alone_ = true;
    } else {
      PACO_TRY(fold_samples());
    }
    const std::uint64_t event = folding_.place().event;
    if (event % settings_.digest_every == 0) {
      PACO_ASSIGN(std::string digest, folding_.digest());
      if (!digest.empty()) digests_.emplace(event, std::move(digest));
    }
  }
  return {};
}

// Up to where a digest is due, so that everybody takes it of the same state.
Result<void> Replica::fold_samples() {
  const Place before = folding_.place();
  const std::uint64_t left = settings_.digest_every - before.event % settings_.digest_every;
  const std::size_t count =
      std::min({line_.size() - line_at_, kGroup, static_cast<std::size_t>(left)});
  PACO_ASSIGN(std::vector<Record> records,
              folding_.samples(std::span(line_).subspan(line_at_, count)));
  Place after = before;
  for (Record& record : records) {
    ++after.event;
    if (record.kind == RecordKind::decided && record.decision.sequence == after.samples) {
      ++after.samples;
      ++after.journal;
    }
    keep(std::move(record), after);
  }
  line_at_ += records.size();
  return {};
}

Result<void> Replica::hear(const std::stop_token& stop) {
  if (heard_.size() < kBehind) {
    inbox_.clear();
    PACO_TRY(decisions_->take(inbox_, kBehind, 1, stop));
    for (const Message& message : inbox_) {
      PACO_ASSIGN(Heard heard, heard_of(settings_.name, message.get()));
      const Group& group = heard.group;
      if (group.first != heard_event_ + 1 || group.evidence != folding_.evidence()) {
        return Error{
            ErrorCode::mismatch,
            fmt::format("{}, message {} by {}: begins with event {} where {} is next, with "
                        "{} evidence numbers where the method has {}",
                        subject_of(settings_.name, Part::decisions), heard.sequence, group.speaker,
                        group.first, heard_event_ + 1, group.evidence, folding_.evidence()),
            "this replica stops; see who else writes to this subject"};
      }
      heard_event_ = group.last();
      heard_time_ = now();
      heard_.push_back(std::move(heard));
    }
  }
  while (!heard_.empty() && heard_.front().group.last() <= folding_.place().event) {
    PACO_TRY(settle(heard_.front()));
    heard_.pop_front();
  }
  return {};
}

// What stands is compared with what was decided here.
Result<void> Replica::settle(const Heard& heard) {
  const Group& group = heard.group;
  std::uint64_t event = group.first;
  for (const Record& there : group.records) {
    const std::uint64_t at = event++;
    if (waiting_.empty() || at < waiting_.front().after.event)
      continue;  // before this replica's time
    const Waiting& here = waiting_.front();
    if (!there.same_as(here.record, folding_.evidence()))
      return differs(at, there.words(), here.record.words(), group.speaker);
    waiting_.pop_front();
  }
  const auto digest = digests_.find(group.last());
  if (digest != digests_.end() && !group.digest.empty() && digest->second != group.digest)
    return differs(group.last(), "a state of digest " + group.digest, digest->second,
                   group.speaker);
  digests_.erase(digests_.begin(), digests_.upper_bound(group.last()));
  standing_ = {group.last(), heard.sequence};
  if (spoken_.event < standing_.event) spoken_ = standing_;
  if (speaking_ && group.speaker != options_.speaker) speaking_ = false;
  if (options_.stands) options_.stands(group);
  return {};
}

Error Replica::differs(std::uint64_t event, const std::string& there, const std::string& here,
                       const std::string& speaker) const {
  return {ErrorCode::mismatch,
          fmt::format("stream '{}', event {}: {} published '{}', this replica has '{}'",
                      settings_.name, event, speaker, there, here),
          "this replica stops, what stands is unchanged; remove its journal and start it anew, and "
          "see that every replica runs the same version"};
}

bool Replica::due() const {
  if (speaker_->waits() || !heard_.empty() || waiting_.empty() ||
      waiting_.back().after.event <= spoken_.event)
    return false;
  if (spoken_.event + 1 < waiting_.front().after.event) return false;  // others have said more
  if (speaking_) return true;
  const Time since = std::max(heard_time_, waiting_.front().since);
  return now() - since > std::chrono::milliseconds(options_.silence_ms);
}

Group Replica::next_group() const {
  Group group;
  group.speaker = options_.speaker;
  group.evidence = static_cast<std::uint8_t>(folding_.evidence());
  group.first = spoken_.event + 1;
  const std::uint64_t skip = group.first - waiting_.front().after.event;
  std::size_t room = std::min(kSaid, static_cast<std::size_t>(connection_->most_payload()) / 2);
  for (auto i = static_cast<std::size_t>(skip); i < waiting_.size(); ++i) {
    const Waiting& one = waiting_[i];
    const std::size_t size = one.record.most_bytes(folding_.evidence());
    if (size > room && !group.records.empty()) break;
    room -= std::min(room, size);
    group.records.push_back(one.record);
    group.samples = one.after.samples;
    group.journal = one.after.journal;
    const auto digest = digests_.find(one.after.event);
    if (digest == digests_.end()) continue;
    group.digest = digest->second;
    break;
  }
  return group;
}

// What became of own words; false where somebody else speaks or nobody answers.
Result<bool> Replica::heed_answers() {
  PACO_ASSIGN(const Speaker::News news, speaker_->news());
  if (news.first > 0) {
    if (!speaking_) {
      ++changes_;
      if (options_.note)
        options_.note(fmt::format("speaks for '{}' from event {} on", settings_.name, news.first));
    }
    speaking_ = true;
    heard_time_ = now();
  }
  if (news.refused) be_silent();
  return !news.refused;
}

// What stands will be heard.
void Replica::be_silent() {
  speaker_->forget();
  speaking_ = false;
  spoken_ = standing_;
  heard_time_ = now();
}

Result<void> Replica::speak() {
  PACO_ASSIGN(const bool goes_on, heed_answers());
  if (!goes_on) return {};
  // Own words that never came back were lost with their server.
  if (spoken_.event > standing_.event && now() - heard_time_ > kUnheard) be_silent();
  if (!due()) return {};
  const Group group = next_group();
  PACO_ASSIGN(const bool sent, speaker_->say(group, spoken_.message));
  if (sent) {
    spoken_ = {group.last(), spoken_.message + 1};
  } else {
    be_silent();
  }
  return {};
}

}  // namespace paco::bus
