#include "bus/queue.hpp"

#include <fmt/format.h>

#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

using std::chrono::steady_clock;

constexpr const char* kConsumer = "embed";  // the consumer shared by all workers of a stream
constexpr std::int64_t kAskMs = 1000;
// If the consumer has pictures but its state does not change for this time, the subscription is
// made again; after the longer time the consumer counts as lost. Both times start after the answers
// to pictures that are given out are due.
constexpr auto kAskAnew = std::chrono::milliseconds(900);
constexpr auto kLost = std::chrono::milliseconds(2500);

}  // namespace

Queue::Queue(std::shared_ptr<Connection> connection, const std::string& stream, int answer_seconds)
    : connection_(std::move(connection)),
      stream_(jetstream_of(stream, Part::raw)),
      subject_(subject_of(stream, Part::raw)),
      answer_seconds_(answer_seconds),
      moved_(steady_clock::now()) {}

Queue::~Queue() { leave(); }

void Queue::leave() {
  if (subscription_ == nullptr) return;
  natsSubscription_Destroy(subscription_);
  subscription_ = nullptr;
}

Result<void> Queue::subscribe(const std::stop_token& stop) {
  return connection_->retry(fmt::format("taking from {}", stream_), stop, [&](jsErrCode* code) {
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = stream_.c_str();
    options.Config.AckPolicy = js_AckExplicit;
    options.Config.AckWait = answer_seconds_ * kSecond;
    options.Config.MaxAckPending = 100'000;
    return js_PullSubscribe(&subscription_, connection_->js(), subject_.c_str(), kConsumer, nullptr,
                            &options, code);
  });
}

bool Queue::fetch(std::vector<Message>& out, std::size_t most, bool wait) {
  jsFetchRequest request;
  jsFetchRequest_Init(&request);
  request.Batch = static_cast<int>(most);
  request.Expires = kSecond;
  request.NoWait = !wait;
  if (wait) request.Heartbeat = kSecond / 5;  // shows that the consumer's leader is alive
  natsMsgList list{};
  const natsStatus status = natsSubscription_FetchRequest(&list, subscription_, &request);
  for (int i = 0; i < list.Count; ++i) {
    out.emplace_back(list.Msgs[i]);
    list.Msgs[i] = nullptr;
  }
  natsMsgList_Destroy(&list);
  return status == NATS_OK || status == NATS_TIMEOUT || status == NATS_NOT_FOUND;
}

Result<std::vector<Message>> Queue::take(std::size_t most, const std::stop_token& stop) {
  if (subscription_ == nullptr) PACO_TRY(subscribe(stop));
  std::vector<Message> out;
  bool answers = fetch(out, most, false);
  if (out.empty() && answers) {
    answers = fetch(out, 1, true);
    if (!out.empty() && most > 1) (void)fetch(out, most - 1, false);  // more from the same burst
  }
  if (!out.empty()) {
    moved_ = steady_clock::now();
    return out;
  }
  if (!answers) {
    leave();
    pause(100, stop);
  }
  PACO_TRY(check(stop));
  return out;
}

Result<void> Queue::check(const std::stop_token& stop) {
  jsOptions ask;
  jsOptions_Init(&ask);
  ask.Wait = kAskMs;
  jsStreamInfo* info = nullptr;
  PACO_TRY(connection_->retry(stream_, stop, [&](jsErrCode* code) {
    return js_GetStreamInfo(&info, connection_->js(), stream_.c_str(), &ask, code);
  }));
  const std::uint64_t there = info->State.Msgs;
  jsStreamInfo_Destroy(info);
  if (there == 0) {
    moved_ = steady_clock::now();
    return {};
  }
  jsConsumerInfo* queue = nullptr;
  auto code = jsErrCode(0);
  const natsStatus status =
      js_GetConsumerInfo(&queue, connection_->js(), stream_.c_str(), kConsumer, &ask, &code);
  if (status == NATS_NOT_FOUND || code == JSConsumerNotFoundErr) {
    leave();  // subscribe() creates it again
    return {};
  }
  bool out = false;  // all pictures are given out
  if (status == NATS_OK) {
    const ConsumerState now{queue->Created, queue->NumAckPending, queue->Delivered.Consumer,
                            queue->AckFloor.Stream};
    out = now.open > 0 && queue->NumPending == 0;
    jsConsumerInfo_Destroy(queue);
    if (last_state_ != now) {
      last_state_ = now;
      moved_ = steady_clock::now();
      return {};
    }
  }
  const auto still = steady_clock::now() - moved_;
  const auto patience = out ? std::chrono::seconds(answer_seconds_) : std::chrono::seconds(0);
  if (still > patience + kAskAnew) leave();
  if (still <= patience + kLost) return {};
  (void)js_DeleteConsumer(connection_->js(), stream_.c_str(), kConsumer, &ask, nullptr);
  leave();
  last_state_.reset();
  moved_ = steady_clock::now();
  return {};
}

}  // namespace paco::bus
