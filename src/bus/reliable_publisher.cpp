#include "bus/reliable_publisher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/try.hpp"

namespace paco::bus {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kEnvelope = 512;  // upper bound on a store's overhead per message
constexpr std::int64_t kReserve = std::int64_t{64} << 20;  // space for others; at most an eighth
constexpr int kWaitMs = 250;                               // between checks of pending messages
constexpr auto kUnanswered = milliseconds(1500);           // then all pending messages are resent
constexpr auto kAgainAfter = milliseconds(50);             // time for the servers to elect a leader
constexpr auto kNotNow = milliseconds(20);
constexpr int kSameId = 20;  // resends of a message before it gets another id

}  // namespace

Error no_answer(const std::string& what, const std::string& servers) {
  return {ErrorCode::io,
          fmt::format("{}: no answer from {}: half of the servers are away, or a disk is full",
                      what, servers),
          "see that more than half of the servers run, and that each has room where its store_dir "
          "is: one whose disk was full answers again when there is room and it was ended with "
          "'kill -9' and started anew; then run the same command again, nothing is lost"};
}

ReliablePublisher::ReliablePublisher(std::unique_ptr<LogAppender> appender, SteadyClock now,
                                     Options options)
    : appender_(std::move(appender)),
      now_(std::move(now)),
      options_(std::move(options)),
      server_changes_(appender_->server_changes()) {}

void ReliablePublisher::add(Append message) {
  if (idle()) stored_ = now_();
  queue_.push_back({std::move(message)});
}

Result<void> ReliablePublisher::step() {
  for (AppendAnswer& answer : appender_->answers()) PACO_TRY(take(std::move(answer)));
  const std::uint64_t changes = appender_->server_changes();
  if (!under_way_.empty() && (changes != server_changes_ || now_() - answered_ > kUnanswered)) {
    resend_unanswered();
  }
  server_changes_ = changes;
  return send();
}

Result<void> ReliablePublisher::take(AppendAnswer answer) {
  const auto found = under_way_.find(answer.token);
  if (found == under_way_.end()) return {};
  answered_ = now_();
  Pending pending = std::move(found->second);
  under_way_.erase(found);
  switch (answer.kind) {
    case AppendAnswer::Kind::stored:
      break;
    case AppendAnswer::Kind::known_id:
      if (answer.sequence > 0) break;
      // The message is still being stored, or it was lost with a leader. In the second case that
      // server will never accept this id again.
      if (++pending.unknown_place % kSameId == 0) pending.message.id += '~';
      resend(std::move(pending));
      return {};
    case AppendAnswer::Kind::try_again:
      refusal_ = std::move(answer.error);
      resend(std::move(pending));
      return {};
    case AppendAnswer::Kind::wrong_last:
    case AppendAnswer::Kind::failed:
      return std::move(*answer.error);
  }
  stored_ = answered_;
  refusal_.reset();
  return {};
}

// Inserts behind other messages to be resent, before those not sent yet.
void ReliablePublisher::resend(Pending pending) {
  pending.again = true;
  const auto at =
      std::find_if(queue_.begin(), queue_.end(), [](const Pending& p) { return !p.again; });
  queue_.insert(at, std::move(pending));
  send_at_ = std::max(send_at_, now_() + kAgainAfter);
}

void ReliablePublisher::resend_unanswered() {
  appender_->abandon();
  std::map<std::uint64_t, Pending> unanswered;
  unanswered.swap(under_way_);
  for (auto& [token, pending] : unanswered) resend(std::move(pending));
}

Result<void> ReliablePublisher::send() {
  if (idle()) return {};
  const std::chrono::duration<double> spent = now_() - stored_;
  if (spent.count() > options_.patience) {
    if (refusal_) return *refusal_;
    return no_answer(options_.what, options_.servers);
  }
  while (!queue_.empty() && under_way_.size() < options_.window && now_() >= send_at_) {
    PACO_ASSIGN(const std::optional<std::uint64_t> token,
                appender_->append(queue_.front().message));
    if (!token) {
      send_at_ = now_() + kNotNow;
      break;
    }
    if (under_way_.empty()) answered_ = now_();
    Pending& pending = queue_.front();
    if (pending.again) ++resent_;
    pending.again = false;
    under_way_.emplace(*token, std::move(pending));
    queue_.pop_front();
  }
  return {};
}

Result<void> ReliablePublisher::wait(const std::stop_token& stop) {
  if (stop.stop_requested())
    return Error{ErrorCode::interrupted, fmt::format("{}: interrupted", options_.what), ""};
  const auto left = std::chrono::ceil<milliseconds>(send_at_ - now_()).count();
  const bool due_soon = !queue_.empty() && left > 0 && left < kWaitMs;
  appender_->wait(due_soon ? static_cast<int>(left) : kWaitMs);
  return {};
}

Result<void> ReliablePublisher::find_room(std::size_t bytes, const std::stop_token& stop) {
  const auto needed = static_cast<std::int64_t>(bytes + kEnvelope);
  room_ -= needed;
  if (room_ >= 0) return {};
  PACO_TRY(flush(stop));
  PACO_ASSIGN(const StoreRoom store, options_.room(stop));
  if (store.limit <= 0) {
    room_ = std::numeric_limits<std::int64_t>::max();
    return {};
  }
  const std::int64_t left = store.limit - store.used - std::min(kReserve, store.limit / 8);
  room_ = std::max<std::int64_t>(left / 2 - needed, 0);
  if (left >= needed) return {};
  return Error{
      ErrorCode::io,
      fmt::format("{}: the store is full: {} of {} bytes are used", options_.what, store.used,
                  store.limit),
      "raise the limit ('paco bus init --max-bytes' on the same stream) or make room, then "
      "run the same command again: nothing is lost, and no sample is decided twice"};
}

Result<void> ReliablePublisher::put(Append message, const std::stop_token& stop) {
  if (message.bytes.size() > appender_->max_message()) {
    return Error{
        ErrorCode::bad_value,
        fmt::format("{}: '{}' has {} bytes, the servers take messages of at most {}", options_.what,
                    message.name, message.bytes.size(), appender_->max_message()),
        "raise max_payload of the servers, or send less with each sample"};
  }
  if (options_.room) PACO_TRY(find_room(message.bytes.size(), stop));
  PACO_TRY(step());
  while (full()) {
    PACO_TRY(wait(stop));
    PACO_TRY(step());
  }
  add(std::move(message));
  return step();
}

Result<void> ReliablePublisher::flush(const std::stop_token& stop) {
  PACO_TRY(step());
  while (!idle()) {
    PACO_TRY(wait(stop));
    PACO_TRY(step());
  }
  return {};
}

}  // namespace paco::bus
