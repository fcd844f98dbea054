#include "bus/reader.hpp"

#include <fmt/format.h>

#include "core/try.hpp"

namespace paco::bus {
namespace {

// How long a silence is before the reader asks whether there is something.
constexpr auto kSilence = std::chrono::milliseconds(1000);

}  // namespace

Reader::Reader(std::shared_ptr<Connection> connection, std::string stream, std::string subject,
               std::uint64_t first, bool whole)
    : connection_(std::move(connection)),
      stream_(std::move(stream)),
      subject_(std::move(subject)),
      next_(std::max<std::uint64_t>(first, 1)),
      whole_(whole) {}

Reader::~Reader() { leave(); }

void Reader::leave() {
  if (subscription_ == nullptr) return;
  natsSubscription_Unsubscribe(subscription_);
  natsSubscription_Destroy(subscription_);
  subscription_ = nullptr;
}

Result<void> Reader::subscribe(const std::stop_token& stop) {
  leave();
  changes_ = connection_->changes();
  PACO_TRY(connection_->retry(fmt::format("reading {}", stream_), stop, [&](jsErrCode* code) {
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = stream_.c_str();
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = next_;
    options.Config.AckPolicy = js_AckNone;
    options.Config.FlowControl = true;
    options.Config.Heartbeat = kSecond / 2;
    options.Config.MemoryStorage = true;
    options.Config.Replicas = 1;
    options.Config.InactiveThreshold = 10 * kSecond;
    return js_SubscribeSync(&subscription_, connection_->js(), subject_.c_str(), nullptr, &options,
                            code);
  }));
  natsSubscription_SetPendingLimits(subscription_, -1, -1);
  heard_ = std::chrono::steady_clock::now();
  return {};
}

Result<void> Reader::look(const std::stop_token& stop) {
  jsStreamInfo* info = nullptr;
  PACO_TRY(connection_->retry(fmt::format("reading {}", stream_), stop, [&](jsErrCode* code) {
    return js_GetStreamInfo(&info, connection_->js(), stream_.c_str(), nullptr, code);
  }));
  const std::uint64_t first = info->State.FirstSeq, last = info->State.LastSeq;
  jsStreamInfo_Destroy(info);
  heard_ = std::chrono::steady_clock::now();
  if (whole_ && first > next_ && last >= next_) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: message {} is wanted, the oldest that is kept is {}", stream_,
                             next_, first),
                 "begin with a journal or a snapshot that goes that far"};
  }
  return last >= next_ ? subscribe(stop) : Result<void>();
}

Result<void> Reader::take(std::vector<Message>& out, std::size_t most, int wait_ms,
                          const std::stop_token& stop) {
  if (subscription_ == nullptr || changes_ != connection_->changes()) PACO_TRY(subscribe(stop));
  for (std::size_t got = 0; got < most;) {
    int queued = 0;
    natsSubscription_GetPending(subscription_, &queued, nullptr);
    if (got > 0 && queued == 0) return {};
    natsMsg* raw = nullptr;
    const natsStatus status = natsSubscription_NextMsg(&raw, subscription_, wait_ms);
    if (status == NATS_OK) {
      Message message(raw);
      const std::uint64_t sequence = sequence_of(raw);
      heard_ = std::chrono::steady_clock::now();
      if (sequence < next_) continue;
      // Something was lost on the way, or is no longer kept; look() tells which.
      if (whole_ && sequence > next_) return look(stop);
      next_ = sequence + 1;
      out.push_back(std::move(message));
      ++got;
      continue;
    }
    if (status == NATS_TIMEOUT && std::chrono::steady_clock::now() - heard_ < kSilence) return {};
    if (status == NATS_TIMEOUT) return look(stop);
    return subscribe(stop);  // heartbeats stay away, or the subscription is gone
  }
  return {};
}

}  // namespace paco::bus
