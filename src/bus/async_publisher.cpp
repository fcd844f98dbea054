#include "bus/async_publisher.hpp"

#include <fmt/format.h>

#include <set>

#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::int64_t kStallMs = 500;  // how long append() waits for room in the library's window
constexpr std::size_t kSlack = 16;      // answers that the library may still count as pending

// The library may call back while a publisher is being destroyed. So callbacks look the publisher
// up here, and the lock keeps it alive during the call.
struct Open {
  std::mutex mutex;
  std::set<const void*> publishers;
};

Open& open_publishers() {
  static Open one;
  return one;
}

}  // namespace

Result<std::unique_ptr<LogAppender>> AsyncPublisher::open(std::shared_ptr<Connection> connection,
                                                          const std::string& what,
                                                          std::size_t window) {
  std::unique_ptr<AsyncPublisher> publisher(new AsyncPublisher(std::move(connection), what));
  jsOptions options;
  jsOptions_Init(&options);
  options.PublishAsync.MaxPending = static_cast<std::int64_t>(window + kSlack);
  options.PublishAsync.StallWait = kStallMs;
  options.PublishAsync.AckHandler = on_answer;
  options.PublishAsync.AckHandlerClosure = publisher.get();
  PACO_TRY(publisher->connection_->once(what, [&](jsErrCode*) {
    return natsConnection_JetStream(&publisher->js_, publisher->connection_->raw(), &options);
  }));
  const std::lock_guard lock(open_publishers().mutex);
  open_publishers().publishers.insert(publisher.get());
  return std::unique_ptr<LogAppender>(std::move(publisher));
}

AsyncPublisher::~AsyncPublisher() {
  {
    const std::lock_guard lock(open_publishers().mutex);
    open_publishers().publishers.erase(this);
  }
  if (js_ == nullptr) return;
  abandon();
  jsCtx_Destroy(js_);
}

void AsyncPublisher::on_answer(jsCtx*, natsMsg* message, jsPubAck* ack, jsPubAckErr* error,
                               void* self) {
  const Message owned(message);
  const std::lock_guard lock(open_publishers().mutex);
  if (open_publishers().publishers.contains(self))
    static_cast<AsyncPublisher*>(self)->collect(message, ack, error);
}

void AsyncPublisher::collect(const natsMsg* message, const jsPubAck* ack,
                             const jsPubAckErr* error) {
  const std::lock_guard lock(mutex_);
  const auto found = under_way_.find(message);
  if (found == under_way_.end()) return;
  AppendAnswer answer;
  answer.token = found->second.token;
  if (error != nullptr) {
    const std::string text = error->ErrText != nullptr ? error->ErrText : "";
    answer.error = connection_->error(fmt::format("{}: '{}' ({})", what_, found->second.name, text),
                                      error->Err, error->ErrCode);
    answer.kind = error->ErrCode == JSStreamWrongLastSequenceErr ? AppendAnswer::Kind::wrong_last
                  : Connection::may_pass(error->Err, error->ErrCode) ? AppendAnswer::Kind::try_again
                                                                     : AppendAnswer::Kind::failed;
  } else if (ack != nullptr) {
    answer.kind = ack->Duplicate ? AppendAnswer::Kind::known_id : AppendAnswer::Kind::stored;
    answer.sequence = ack->Sequence;
  }
  under_way_.erase(found);
  answers_.push_back(std::move(answer));
  answered_.notify_one();
}

Result<std::optional<std::uint64_t>> AsyncPublisher::append(const Append& message) {
  natsMsg* raw = nullptr;
  natsStatus status = natsMsg_Create(&raw, message.subject.c_str(), nullptr, message.bytes.data(),
                                     static_cast<int>(message.bytes.size()));
  Message owned(raw);
  jsPubOptions options;
  jsPubOptions_Init(&options);
  if (!message.id.empty()) options.MsgId = message.id.c_str();
  if (message.expected_last) {
    options.ExpectLastSeq = *message.expected_last;
    options.ExpectNoMessage = *message.expected_last == 0;
  }
  const std::uint64_t token = next_token_++;
  if (status == NATS_OK) {
    {
      // Register the token before sending: the answer may arrive at once.
      const std::lock_guard lock(mutex_);
      under_way_.insert_or_assign(raw, Sent{token, message.name});
    }
    used_ = true;
    const natsMsg* key = raw;
    raw = owned.release();
    status = js_PublishMsgAsync(js_, &raw, &options);
    owned.reset(raw);  // on failure the library did not take ownership
    if (status == NATS_OK) return std::optional(token);
    const std::lock_guard lock(mutex_);
    under_way_.erase(key);
  }
  if (Connection::may_pass(status, jsErrCode(0)) || status == NATS_INSUFFICIENT_BUFFER)
    return std::optional<std::uint64_t>();
  return connection_->error(what_, status, jsErrCode(0));
}

std::vector<AppendAnswer> AsyncPublisher::answers() {
  std::vector<AppendAnswer> out;
  const std::lock_guard lock(mutex_);
  out.swap(answers_);
  return out;
}

void AsyncPublisher::wait(int milliseconds) {
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, std::chrono::milliseconds(milliseconds),
                     [this] { return !answers_.empty(); });
}

void AsyncPublisher::abandon() {
  natsMsgList list{};
  if (used_ && js_PublishAsyncGetPendingList(&list, js_) == NATS_OK) natsMsgList_Destroy(&list);
  const std::lock_guard lock(mutex_);
  under_way_.clear();
  answers_.clear();
}

}  // namespace paco::bus
