#include "bus/ordered_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"

namespace paco::bus {
namespace {

// After this long without a message the reader asks whether there is one.
constexpr auto kQuiet = std::chrono::milliseconds(1000);

}  // namespace

OrderedReader::OrderedReader(std::unique_ptr<Subscription> subscription, std::string name,
                             std::uint64_t first, SteadyClock now, bool whole)
    : subscription_(std::move(subscription)),
      name_(std::move(name)),
      now_(std::move(now)),
      whole_(whole),
      next_(std::max<std::uint64_t>(first, 1)) {}

Result<void> OrderedReader::begin(const std::stop_token& stop) {
  begun_ = false;
  PACO_TRY(subscription_->begin(next_, stop));
  begun_ = true;
  last_delivery_ = now_();
  return {};
}

Result<void> OrderedReader::check(const std::stop_token& stop) {
  PACO_ASSIGN(const Subscription::Range kept, subscription_->range(stop));
  last_delivery_ = now_();
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
        if (message.sequence < next_) continue;
        // One was lost, or is no longer kept; check() finds out which.
        if (whole_ && message.sequence > next_) return check(stop);
        next_ = message.sequence + 1;
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
