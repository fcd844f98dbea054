#include "bus/outbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/try.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kEnvelope = 512;  // bytes a message takes in a store besides its own, at most
constexpr std::int64_t kReserve = std::int64_t{64}
                                  << 20;  // for other publishers; an eighth at most

}  // namespace

Result<std::unique_ptr<Outbox>> Outbox::open(std::shared_ptr<Connection> connection,
                                             std::string what, std::size_t window) {
  std::unique_ptr<Outbox> box(new Outbox(std::move(connection), std::move(what)));
  jsOptions options;
  jsOptions_Init(&options);
  options.PublishAsync.MaxPending = static_cast<std::int64_t>(window);
  options.PublishAsync.StallWait = 2000;
  options.PublishAsync.ErrHandler = failed;
  options.PublishAsync.ErrHandlerClosure = box.get();
  PACO_TRY(box->connection_->once(box->what_, [&](jsErrCode*) {
    return natsConnection_JetStream(&box->js_, box->connection_->raw(), &options);
  }));
  return box;
}

Outbox::~Outbox() {
  if (js_ == nullptr) return;
  take_back();  // then nothing calls back any more
  jsCtx_Destroy(js_);
}

void Outbox::failed(jsCtx*, jsPubAckErr* error, void* self) {
  auto& box = *static_cast<Outbox*>(self);
  const std::lock_guard lock(box.mutex_);
  if (Connection::may_pass(error->Err, error->ErrCode)) {
    box.again_.emplace_back(error->Msg);
    error->Msg = nullptr;  // it is ours now
    return;
  }
  if (box.hopeless_) return;
  const char* id = nullptr;
  natsMsgHeader_Get(error->Msg, "Nats-Msg-Id", &id);
  box.hopeless_ =
      box.connection_->error(fmt::format("{}: '{}' ({})", box.what_, id == nullptr ? "" : id,
                                         error->ErrText == nullptr ? "" : error->ErrText),
                             error->Err, error->ErrCode);
}

void Outbox::take_back() {
  natsMsgList list{};
  if (!used_ || js_PublishAsyncGetPendingList(&list, js_) != NATS_OK) return;
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < list.Count; ++i) {
    again_.emplace_back(list.Msgs[i]);
    list.Msgs[i] = nullptr;
  }
  natsMsgList_Destroy(&list);
}

Result<void> Outbox::send(Message message, const std::stop_token& stop) {
  const auto begun = std::chrono::steady_clock::now();
  while (true) {
    natsMsg* raw = message.release();
    used_ = true;
    const natsStatus status = js_PublishMsgAsync(js_, &raw, nullptr);
    message.reset(raw);  // still ours where it was not taken
    if (status == NATS_OK) return {};
    if (!Connection::may_pass(status, jsErrCode(0)) && status != NATS_INSUFFICIENT_BUFFER)
      return connection_->error(what_, status, jsErrCode(0));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    if (spent.count() > connection_->patience())
      return connection_->error(what_, NATS_TIMEOUT, jsErrCode(0));
    if (stop.stop_requested())
      return Error{ErrorCode::interrupted, fmt::format("{}: interrupted", what_), ""};
    take_back();
    pause(100, stop);
  }
}

Result<void> Outbox::mend(const std::stop_token& stop) {
  while (true) {
    std::vector<Message> again;
    {
      const std::lock_guard lock(mutex_);
      if (hopeless_) return *hopeless_;
      again.swap(again_);
    }
    if (again.empty()) return {};
    pause(50, stop);  // a leader is being found
    resent_ += again.size();
    for (Message& message : again) PACO_TRY(send(std::move(message), stop));
  }
}

Result<void> Outbox::find_room(std::size_t bytes, const std::stop_token& stop) {
  room_ -= static_cast<std::int64_t>(bytes + kEnvelope);
  if (room_ >= 0) return {};
  PACO_TRY(flush(stop));
  jsStreamInfo* info = nullptr;
  PACO_TRY(connection_->retry(what_, stop, [&](jsErrCode* code) {
    return js_GetStreamInfo(&info, connection_->js(), spared_.c_str(), nullptr, code);
  }));
  const std::int64_t most = info->Config->MaxBytes;
  const auto used = static_cast<std::int64_t>(info->State.Bytes);
  jsStreamInfo_Destroy(info);
  if (most <= 0) {
    room_ = std::numeric_limits<std::int64_t>::max();
    return {};
  }
  const std::int64_t left = most - used - std::min(kReserve, most / 8);
  room_ = left / 2 - static_cast<std::int64_t>(bytes + kEnvelope);
  if (left >= static_cast<std::int64_t>(bytes + kEnvelope)) {
    room_ = std::max<std::int64_t>(room_, 0);
    return {};
  }
  return Error{
      ErrorCode::io,
      fmt::format("{}: the store is full: {} has {} of {} bytes", what_, spared_, used, most),
      "raise the limit ('paco bus init --max-bytes' on the same stream) or make room, then "
      "run the same command again: nothing is lost or doubled"};
}

Result<void> Outbox::put(const std::string& subject, const std::string& id, std::string_view bytes,
                         const std::stop_token& stop) {
  if (static_cast<std::int64_t>(bytes.size()) > connection_->most_payload()) {
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: '{}' has {} bytes, the servers take messages of at most {}",
                             what_, id, bytes.size(), connection_->most_payload()),
                 "raise max_payload of the servers, or send less with each sample"};
  }
  if (!spared_.empty()) PACO_TRY(find_room(bytes.size(), stop));
  PACO_TRY(mend(stop));
  natsMsg* raw = nullptr;
  natsStatus status =
      natsMsg_Create(&raw, subject.c_str(), nullptr, bytes.data(), static_cast<int>(bytes.size()));
  Message message(raw);
  if (status == NATS_OK) status = natsMsgHeader_Set(raw, "Nats-Msg-Id", id.c_str());
  if (status != NATS_OK) return connection_->error(what_, status, jsErrCode(0));
  return send(std::move(message), stop);
}

Result<void> Outbox::flush(const std::stop_token& stop) {
  if (!used_) return {};
  const auto begun = std::chrono::steady_clock::now();
  while (true) {
    PACO_TRY(mend(stop));
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = 2000;
    const natsStatus status = js_PublishAsyncComplete(js_, &options);
    if (status == NATS_OK) {
      const std::lock_guard lock(mutex_);
      if (again_.empty() && !hopeless_) return {};
      continue;
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    if (spent.count() > connection_->patience())
      return connection_->error(what_, NATS_TIMEOUT, jsErrCode(0));
    if (stop.stop_requested())
      return Error{ErrorCode::interrupted, fmt::format("{}: interrupted", what_), ""};
    take_back();
  }
}

}  // namespace paco::bus
