#include "bus/replica.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kFold = 256;                           // events folded at once
constexpr std::size_t kGroupBytes = std::size_t{256} << 10;  // of records published at once
constexpr std::size_t kMaxUncommitted = 8192;                // records
constexpr std::size_t kMaxAhead = 64;      // committed groups read ahead of folding
constexpr std::size_t kMaxPending = 1024;  // events read ahead of folding
constexpr int kIdleMs = 20;
constexpr auto kLost = std::chrono::seconds(5);  // until an own unread group counts as lost

}  // namespace

Replica::Replica(StreamLog& log, StreamSettings settings, StreamState& state,
                 ReplicaOptions options)
    : log_(log),
      settings_(std::move(settings)),
      options_(std::move(options)),
      state_(state),
      folding_(state, settings_.dimension) {}

Result<void> Replica::run(std::uint64_t events, const std::stop_token& stop) {
  while (!stop.stop_requested() && (events == 0 || committed_.event < events)) PACO_TRY(step(stop));
  return {};
}

Result<void> Replica::step(const std::stop_token& stop) {
  const Result<void> read = read_events(stop);
  if (!read.ok() && read.error().code != ErrorCode::interrupted) return read;
  PACO_TRY(fold());
  const Result<void> consumed = consume(stop);
  if (!consumed.ok() && consumed.error().code != ErrorCode::interrupted) return consumed;
  return publish();
}

Result<void> Replica::read_events(const std::stop_token& stop) {
  if (pending_.size() - pending_at_ >= kMaxPending || uncommitted_.size() >= kMaxUncommitted)
    return {};
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(pending_at_));
  pending_at_ = 0;
  const bool idle = pending_.empty() && uncommitted_.empty() && ahead_.empty();
  inbox_.clear();
  const Result<void> taken = events_->take(inbox_, kFold, idle ? kIdleMs : 1, stop);
  for (const LogMessage& message : inbox_) {
    const std::uint64_t sum = message_sum(message.bytes);
    chain_ = chain_event(chain_, sum);
    pending_.push_back({parse_event(message.bytes), chain_, sum});
  }
  return taken;
}

void Replica::keep(Folding::Folded folded) {
  uncommitted_.push_back({std::move(folded.record), folded.after, log_.now()});
}

Result<void> Replica::fold() {
  if (operation_open_ && uncommitted_.empty()) operation_open_ = false;
  while (pending_at_ < pending_.size() && !operation_open_ &&
         uncommitted_.size() < kMaxUncommitted) {
    const LoggedEvent& front = pending_[pending_at_];
    if (front.event.ok() && std::holds_alternative<OperationEvent>(*front.event)) {
      if (options_.operations_alone && !uncommitted_.empty()) return {};
      PACO_ASSIGN(Folding::Folded folded, folding_.operation(front));
      keep(std::move(folded));
      ++pending_at_;
      operation_open_ = options_.operations_alone;
    } else {
      PACO_TRY(fold_samples());
    }
    const std::uint64_t event = folding_.position().event;
    if (event % settings_.digest_every == 0) {
      PACO_ASSIGN(std::string digest, folding_.digest());
      if (!digest.empty()) digests_.emplace(event, std::move(digest));
    }
  }
  return {};
}

// Folds up to the next event with a digest, so that all replicas compute it for the same state.
Result<void> Replica::fold_samples() {
  const std::uint64_t left =
      settings_.digest_every - folding_.position().event % settings_.digest_every;
  const std::size_t count =
      std::min({pending_.size() - pending_at_, kFold, static_cast<std::size_t>(left)});
  PACO_ASSIGN(std::vector<Folding::Folded> folded,
              folding_.samples(std::span(pending_).subspan(pending_at_, count)));
  for (Folding::Folded& one : folded) keep(std::move(one));
  pending_at_ += folded.size();
  return {};
}

Result<void> Replica::consume(const std::stop_token& stop) {
  if (ahead_.size() < kMaxAhead) {
    inbox_.clear();
    const Result<void> taken = decisions_->take(inbox_, kMaxAhead, 1, stop);
    for (const LogMessage& message : inbox_) {
      PACO_ASSIGN(CommittedGroup committed, parse_committed(settings_.name, message));
      const Group& group = committed.group;
      if (group.first != read_event_ + 1 || group.evidence != folding_.evidence()) {
        return Error{ErrorCode::mismatch,
                     fmt::format("{}, message {} by {}: begins with event {}, {} is next; it has "
                                 "{} evidence numbers, the method has {}",
                                 subject_of(settings_.name, Part::decisions), committed.sequence,
                                 group.publisher, group.first, read_event_ + 1, group.evidence,
                                 folding_.evidence()),
                     "this replica stops; see who else writes to this subject"};
      }
      read_event_ = group.last();
      group_time_ = log_.now();
      ahead_.push_back(std::move(committed));
    }
    PACO_TRY(taken);
  }
  while (!ahead_.empty() && ahead_.front().group.last() <= folding_.position().event) {
    PACO_TRY(commit(ahead_.front()));
    ahead_.pop_front();
  }
  return {};
}

// Compares committed records with the records made here.
Result<void> Replica::commit(const CommittedGroup& committed) {
  const Group& group = committed.group;
  for (const Record& there : group.records) {
    const Uncommitted& here = uncommitted_.front();
    if (!there.same_as(here.record, folding_.evidence()))
      return differs(here.after.event, there.describe(), here.record.describe(), group.publisher);
    if (here.after.event == group.last() && here.after.chain != group.chain) {
      return differs(group.last(), fmt::format("events of chain {:016x}", group.chain),
                     fmt::format("events of chain {:016x}", here.after.chain), group.publisher);
    }
    uncommitted_.pop_front();
  }
  const auto digest = digests_.find(group.last());
  if (digest != digests_.end() && !group.digest.empty() && digest->second != group.digest)
    return differs(group.last(), "a state of digest " + group.digest, digest->second,
                   group.publisher);
  digests_.erase(digests_.begin(), digests_.upper_bound(group.last()));
  committed_ = {group.last(), committed.sequence};
  if (published_.event < committed_.event) published_ = committed_;
  if (publishing_ && group.publisher != options_.name) publishing_ = false;
  if (options_.on_committed) options_.on_committed(group);
  return {};
}

Error Replica::differs(std::uint64_t event, const std::string& there, const std::string& here,
                       const std::string& publisher) const {
  return {ErrorCode::mismatch,
          fmt::format("stream '{}', event {}: {} published '{}', this replica has '{}'",
                      settings_.name, event, publisher, there, here),
          "this replica stops, what is committed is unchanged; remove its journal and start it "
          "anew, and see that every replica runs the same version"};
}

bool Replica::due() const {
  if (publisher_->under_way() || !ahead_.empty() || uncommitted_.empty() ||
      uncommitted_.back().after.event <= published_.event)
    return false;
  if (publishing_) return true;
  const Time since = std::max(group_time_, uncommitted_.front().since);
  return log_.now() - since > std::chrono::milliseconds(options_.takeover_ms);
}

Group Replica::next_group() const {
  Group group;
  group.publisher = options_.name;
  group.evidence = static_cast<std::uint8_t>(folding_.evidence());
  group.first = published_.event + 1;
  const std::uint64_t skip = group.first - uncommitted_.front().after.event;
  std::size_t room = std::min(kGroupBytes, publisher_->max_message() / 2);
  for (auto i = static_cast<std::size_t>(skip); i < uncommitted_.size(); ++i) {
    const auto& [record, after, since] = uncommitted_[i];
    const std::size_t size = record.max_bytes(folding_.evidence());
    if (size > room && !group.records.empty()) break;
    room -= std::min(room, size);
    group.records.push_back(record);
    group.samples = after.samples;
    group.journal = after.journal;
    group.chain = after.chain;
    group.last_event = after.sum;
    const auto digest = digests_.find(after.event);
    if (digest == digests_.end()) continue;
    group.digest = digest->second;
    break;
  }
  return group;
}

// Processes the answer to the own group; false if another replica publishes or no server answers.
Result<bool> Replica::take_progress() {
  PACO_ASSIGN(const DecisionPublisher::Progress progress, publisher_->progress());
  if (progress.first > 0) {
    if (!publishing_) {
      ++takeovers_;
      if (options_.note) {
        options_.note(fmt::format("publishes decisions of '{}' from event {} on", settings_.name,
                                  progress.first));
      }
    }
    publishing_ = true;
    group_time_ = log_.now();
  }
  if (progress.refused) step_down();
  return !progress.refused;
}

// Returns to reading what others commit.
void Replica::step_down() {
  publisher_->abandon();
  publishing_ = false;
  published_ = committed_;
  group_time_ = log_.now();
}

Result<void> Replica::publish() {
  PACO_ASSIGN(const bool goes_on, take_progress());
  if (!goes_on) return {};
  // An own group that was never read back was lost with its server.
  if (published_.event > committed_.event && log_.now() - group_time_ > kLost) step_down();
  if (!due()) return {};
  const Group group = next_group();
  PACO_ASSIGN(const bool sent, publisher_->publish(group, published_.message));
  if (sent) {
    published_ = {group.last(), published_.message + 1};
  } else {
    step_down();
  }
  return {};
}

}  // namespace paco::bus
