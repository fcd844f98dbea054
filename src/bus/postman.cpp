#include "bus/postman.hpp"

#include <mutex>
#include <set>

#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::int64_t kRoomMs = 500;  // that send() waits for room

// The library may be about to hand over an answer while its postman ends; so each is looked up
// here, and stays while it takes one.
struct Living {
  std::mutex mutex;
  std::set<const void*> all;
};

Living& living() {
  static Living one;
  return one;
}

}  // namespace

Result<std::unique_ptr<Postman>> Postman::open(std::shared_ptr<Connection> connection,
                                               const std::string& what, std::size_t window,
                                               Take take) {
  std::unique_ptr<Postman> postman(new Postman(std::move(connection), std::move(take)));
  jsOptions options;
  jsOptions_Init(&options);
  options.PublishAsync.MaxPending = static_cast<std::int64_t>(window);
  options.PublishAsync.StallWait = kRoomMs;
  options.PublishAsync.AckHandler = answered;
  options.PublishAsync.AckHandlerClosure = postman.get();
  PACO_TRY(postman->connection_->once(what, [&](jsErrCode*) {
    return natsConnection_JetStream(&postman->js_, postman->connection_->raw(), &options);
  }));
  const std::lock_guard lock(living().mutex);
  living().all.insert(postman.get());
  return postman;
}

Postman::~Postman() {
  {
    const std::lock_guard lock(living().mutex);
    living().all.erase(this);
  }
  if (js_ == nullptr) return;
  take_back();
  jsCtx_Destroy(js_);
}

void Postman::answered(jsCtx*, natsMsg* message, jsPubAck* ack, jsPubAckErr* error, void* self) {
  Answer answer;
  answer.message.reset(message);
  if (error != nullptr) {
    answer.status = error->Err;
    answer.code = error->ErrCode;
    if (error->ErrText != nullptr) answer.text = error->ErrText;
  } else if (ack != nullptr) {
    answer.sequence = ack->Sequence;
    answer.duplicate = ack->Duplicate;
  }
  const std::lock_guard lock(living().mutex);
  if (living().all.contains(self)) static_cast<Postman*>(self)->take_(std::move(answer));
}

natsStatus Postman::send(Message& message, jsPubOptions* options) {
  natsMsg* raw = message.release();
  used_ = true;
  const natsStatus status = js_PublishMsgAsync(js_, &raw, options);
  message.reset(raw);  // still ours where it was not taken
  return status;
}

natsStatus Postman::wait(int milliseconds) {
  if (!used_) return NATS_OK;
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MaxWait = milliseconds;
  return js_PublishAsyncComplete(js_, &options);
}

std::vector<Message> Postman::take_back() {
  std::vector<Message> out;
  natsMsgList list{};
  if (!used_ || js_PublishAsyncGetPendingList(&list, js_) != NATS_OK) return out;
  for (int i = 0; i < list.Count; ++i) {
    out.emplace_back(list.Msgs[i]);
    list.Msgs[i] = nullptr;
  }
  natsMsgList_Destroy(&list);
  return out;
}

}  // namespace paco::bus
