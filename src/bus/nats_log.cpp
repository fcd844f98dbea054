#include "bus/nats_log.hpp"

#include <fmt/format.h>

#include "bus/async_publisher.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kDecisionWindow = 8;  // one, and those that were abandoned

class NatsSubscription final : public Subscription {
 public:
  NatsSubscription(std::shared_ptr<Connection> connection, std::string jetstream,
                   std::string subject)
      : connection_(std::move(connection)),
        jetstream_(std::move(jetstream)),
        subject_(std::move(subject)) {}
  ~NatsSubscription() override { end(); }

  Result<void> begin(std::uint64_t first, const std::stop_token& stop) override {
    end();
    changes_ = connection_->changes();
    PACO_TRY(connection_->retry(fmt::format("reading {}", jetstream_), stop, [&](jsErrCode* code) {
      jsSubOptions options;
      jsSubOptions_Init(&options);
      options.Stream = jetstream_.c_str();
      options.Config.DeliverPolicy = js_DeliverByStartSequence;
      options.Config.OptStartSeq = first;
      options.Config.AckPolicy = js_AckNone;
      options.Config.FlowControl = true;
      options.Config.Heartbeat = kSecond / 2;
      options.Config.MemoryStorage = true;
      options.Config.Replicas = 1;
      options.Config.InactiveThreshold = 10 * kSecond;
      return js_SubscribeSync(&subscription_, connection_->js(), subject_.c_str(), nullptr,
                              &options, code);
    }));
    natsSubscription_SetPendingLimits(subscription_, -1, -1);
    return {};
  }

  Delivery next(LogMessage& out, int wait_ms) override {
    natsMsg* raw = nullptr;
    const natsStatus status = natsSubscription_NextMsg(&raw, subscription_, wait_ms);
    if (status == NATS_TIMEOUT) return Delivery::nothing;
    if (status != NATS_OK) return Delivery::broken;  // no heartbeats, or no subscription
    out = log_message(Message(raw));
    return Delivery::message;
  }

  bool ready() const override {
    int queued = 0;
    natsSubscription_GetPending(subscription_, &queued, nullptr);
    return queued > 0;
  }

  bool lost() const override { return changes_ != connection_->changes(); }

  Result<Range> range(const std::stop_token& stop) override {
    jsStreamInfo* info = nullptr;
    PACO_TRY(connection_->retry(fmt::format("reading {}", jetstream_), stop, [&](jsErrCode* code) {
      return js_GetStreamInfo(&info, connection_->js(), jetstream_.c_str(), nullptr, code);
    }));
    const Range range{info->State.FirstSeq, info->State.LastSeq};
    jsStreamInfo_Destroy(info);
    return range;
  }

 private:
  void end() {
    if (subscription_ == nullptr) return;
    natsSubscription_Unsubscribe(subscription_);
    natsSubscription_Destroy(subscription_);
    subscription_ = nullptr;
  }

  const std::shared_ptr<Connection> connection_;
  const std::string jetstream_, subject_;
  natsSubscription* subscription_ = nullptr;
  std::uint64_t changes_ = 0;  // of the connection, when begin() was called
};

std::unique_ptr<Subscription> subscribe(const std::shared_ptr<Connection>& connection,
                                        const std::string& stream, Part part) {
  return std::make_unique<NatsSubscription>(connection, jetstream_of(stream, part),
                                            subject_of(stream, part));
}

}  // namespace

std::unique_ptr<Subscription> NatsStreamLog::events() {
  return subscribe(connection_, stream_, Part::events);
}

std::unique_ptr<Subscription> NatsStreamLog::decisions() {
  return subscribe(connection_, stream_, Part::decisions);
}

Result<std::unique_ptr<LogAppender>> NatsStreamLog::decision_appender() {
  return AsyncPublisher::open(connection_,
                              fmt::format("publishing to {}", subject_of(stream_, Part::decisions)),
                              kDecisionWindow);
}

Result<std::optional<LogMessage>> NatsStreamLog::decision_message(std::uint64_t sequence,
                                                                  const std::stop_token& stop) {
  const std::string jetstream = jetstream_of(stream_, Part::decisions);
  const std::string subject = subject_of(stream_, Part::decisions);
  natsMsg* raw = nullptr;
  bool absent = false;
  PACO_TRY(connection_->retry(fmt::format("reading {}", jetstream), stop, [&](jsErrCode* code) {
    jsCtx* js = connection_->js();
    const natsStatus status =
        sequence == 0 ? js_GetLastMsg(&raw, js, jetstream.c_str(), subject.c_str(), nullptr, code)
                      : js_GetMsg(&raw, js, jetstream.c_str(), sequence, nullptr, code);
    absent = *code == JSNoMessageFoundErr;
    return absent ? NATS_OK : status;
  }));
  if (absent) return std::optional<LogMessage>();
  return std::optional(log_message(Message(raw)));
}

OrderedReader read_log(std::shared_ptr<Connection> connection, const std::string& jetstream,
                       const std::string& subject, std::uint64_t first, bool whole) {
  return {std::make_unique<NatsSubscription>(std::move(connection), jetstream, subject), jetstream,
          first, std::chrono::steady_clock::now, whole};
}

Result<std::unique_ptr<ReliablePublisher>> open_publisher(std::shared_ptr<Connection> connection,
                                                          const std::string& what,
                                                          const std::string& events_of,
                                                          std::size_t window) {
  PACO_ASSIGN(auto appender, AsyncPublisher::open(connection, what, window));
  ReliablePublisher::Options options;
  options.what = what;
  options.servers = connection->servers();
  options.window = window;
  options.patience = connection->patience();
  if (!events_of.empty()) {
    options.room = [connection, what, jetstream = jetstream_of(events_of, Part::events)](
                       const std::stop_token& stop) -> Result<StoreRoom> {
      jsStreamInfo* info = nullptr;
      PACO_TRY(connection->retry(what, stop, [&](jsErrCode* code) {
        return js_GetStreamInfo(&info, connection->js(), jetstream.c_str(), nullptr, code);
      }));
      const StoreRoom room{static_cast<std::int64_t>(info->State.Bytes), info->Config->MaxBytes};
      jsStreamInfo_Destroy(info);
      return room;
    };
  }
  return std::make_unique<ReliablePublisher>(std::move(appender), std::chrono::steady_clock::now,
                                             std::move(options));
}

}  // namespace paco::bus
