#include "bus/ordered_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "journal/checksum.hpp"

namespace paco::bus {
namespace {

// After this long without a message, the reader checks whether there is one.
constexpr auto kQuiet = std::chrono::milliseconds(1000);
// A server that was disconnected may not have the newest messages for a while.
constexpr auto kShort = std::chrono::seconds(30);

}  // namespace

std::uint64_t message_sum(std::string_view bytes) {
  return journal::checksum_of(std::as_bytes(std::span(bytes)));
}

OrderedReader::OrderedReader(std::unique_ptr<Subscription> subscription, std::string name,
                             std::uint64_t first, SteadyClock now, bool whole, std::uint64_t before)
    : subscription_(std::move(subscription)),
      name_(std::move(name)),
      now_(std::move(now)),
      whole_(whole),
      next_(std::max<std::uint64_t>(first, 1)) {
  if (before != 0) last_sum_ = before;
}

Result<void> OrderedReader::begin(const std::stop_token& stop) {
  begun_ = false;
  is_proven_ = !last_sum_;
  PACO_TRY(subscription_->begin(is_proven_ ? next_ : next_ - 1, stop));
  begun_ = true;
  last_delivery_ = now_();
  return {};
}

Error OrderedReader::lost_messages(const std::string& what) const {
  return {ErrorCode::mismatch, fmt::format("{}: {}: the log lost messages", name_, what),
          "see which server came back without its store; what was decided stays in the journals of "
          "the replicas"};
}

Result<void> OrderedReader::check(const std::stop_token& stop) {
  PACO_ASSIGN(const Subscription::Range kept, subscription_->range(stop));
  last_delivery_ = now_();
  if (kept.first >= next_ && kept.last >= next_) last_sum_.reset();  // next_ - 1 was removed
  if (last_sum_ && kept.last + 1 < next_) {
    if (!short_since_) short_since_ = now_();
    if (now_() - *short_since_ > kShort)
      return lost_messages(
          fmt::format("it ends with message {}, and {} was read from it", kept.last, next_ - 1));
  } else {
    short_since_.reset();
  }
  if (whole_ && kept.first > next_ && kept.last >= next_) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: message {} is needed, the oldest that is kept is {}", name_,
                             next_, kept.first),
                 "begin with a journal or a snapshot that goes that far"};
  }
  return kept.last >= next_ ? begin(stop) : Result<void>();
}

Result<void> OrderedReader::take(std::vector<LogMessage>& out, std::size_t most, int wait_ms,
                                 const std::stop_token& stop) {
  if (!begun_ || subscription_->lost()) PACO_TRY(begin(stop));
  for (std::size_t got = 0; got < most;) {
    if (got > 0 && !subscription_->ready()) return {};
    LogMessage message;
    switch (subscription_->next(message, wait_ms)) {
      case Subscription::Delivery::message:
        last_delivery_ = now_();
        if (message.sequence + 1 == next_ && !is_proven_) {
          if (message_sum(message.bytes) != *last_sum_)
            return lost_messages(
                fmt::format("message {} is another one than was read", message.sequence));
          is_proven_ = true;
        }
        if (message.sequence < next_) continue;
        if (!is_proven_) return check(stop);
        // A message was lost, or is no longer kept; check() finds out which.
        if (whole_ && message.sequence > next_) return check(stop);
        next_ = message.sequence + 1;
        if (whole_) last_sum_ = message_sum(message.bytes);
        out.push_back(std::move(message));
        ++got;
        continue;
      case Subscription::Delivery::nothing:
        return now_() - last_delivery_ < kQuiet ? Result<void>() : check(stop);
      case Subscription::Delivery::broken:
        return begin(stop);
    }
  }
  return {};
}

}  // namespace paco::bus
