#include "bus/outbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kEnvelope = 512;  // bytes a message takes in a store besides its own, at most
constexpr std::int64_t kReserve = std::int64_t{64}
                                  << 20;  // for other publishers; an eighth at most
constexpr int kLookMs = 250;              // between two looks at what is under way
constexpr auto kUnanswered = std::chrono::milliseconds(1500);
constexpr int kSameId = 20;  // times that a message is sent again before it gets another id

}  // namespace

Result<std::unique_ptr<Outbox>> Outbox::open(std::shared_ptr<Connection> connection,
                                             std::string what, std::size_t window) {
  std::unique_ptr<Outbox> box(new Outbox(std::move(connection), std::move(what)));
  Outbox* raw = box.get();
  PACO_ASSIGN(box->postman_,
              Postman::open(box->connection_, raw->what_, window,
                            [raw](Postman::Answer answer) { raw->take(std::move(answer)); }));
  return box;
}

void Outbox::take(Postman::Answer answer) {
  const std::lock_guard lock(mutex_);
  answered_ = std::chrono::steady_clock::now();
  if (under_way_ > 0) --under_way_;
  if (answer.status == NATS_OK && !(answer.duplicate && answer.sequence == 0)) {
    if (unstored_ > 0) --unstored_;
    stored_ = answered_;
    refusal_.reset();
    return;
  }
  const char* id = nullptr;
  natsMsgHeader_Get(answer.message.get(), "Nats-Msg-Id", &id);
  const std::string name = id == nullptr ? "" : id;
  if (answer.status == NATS_OK) {
    // A server has seen the id, and has not stored the message: it is being stored, or was lost
    // with a leader, and that server will never take this id again.
    if (++placeless_[name] % kSameId == 0)
      natsMsgHeader_Set(answer.message.get(), "Nats-Msg-Id", (name + "~").c_str());
    again_.push_back(std::move(answer.message));
    return;
  }
  Error error = connection_->error(fmt::format("{}: '{}' ({})", what_, name, answer.text),
                                   answer.status, answer.code);
  if (Connection::may_pass(answer.status, answer.code)) {
    again_.push_back(std::move(answer.message));
    refusal_ = std::move(error);
  } else if (!hopeless_) {
    hopeless_ = std::move(error);
  }
}

void Outbox::take_back() {
  std::vector<Message> back = postman_->take_back();
  const std::lock_guard lock(mutex_);
  for (Message& message : back) again_.push_back(std::move(message));
  under_way_ = 0;
}

// Where nothing is answered any more, or the server that had it is gone, all is sent again.
void Outbox::look_after() {
  const std::uint64_t changes = connection_->changes();
  bool silent = changes != changes_;
  changes_ = changes;
  {
    const std::lock_guard lock(mutex_);
    silent = silent || std::chrono::steady_clock::now() - answered_ > kUnanswered;
  }
  if (silent) take_back();
}

Result<void> Outbox::keep_on(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - stored_;
    if (spent.count() > connection_->patience())
      return refusal_ ? *refusal_ : connection_->error(what_, NATS_TIMEOUT, jsErrCode(0));
  }
  if (stop.stop_requested())
    return Error{ErrorCode::interrupted, fmt::format("{}: interrupted", what_), ""};
  return {};
}

Result<void> Outbox::send(Message message, const std::stop_token& stop) {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (under_way_++ == 0) answered_ = std::chrono::steady_clock::now();
    }
    const natsStatus status = postman_->send(message);
    if (status == NATS_OK) return {};
    {
      const std::lock_guard lock(mutex_);
      if (under_way_ > 0) --under_way_;
    }
    if (!Connection::may_pass(status, jsErrCode(0)) && status != NATS_INSUFFICIENT_BUFFER)
      return connection_->error(what_, status, jsErrCode(0));
    PACO_TRY(keep_on(stop));
    look_after();
    pause(20, stop);
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
    PACO_TRY(keep_on(stop));
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
  {
    const std::lock_guard lock(mutex_);
    if (unstored_++ == 0) stored_ = std::chrono::steady_clock::now();
  }
  return send(std::move(message), stop);
}

Result<void> Outbox::flush(const std::stop_token& stop) {
  while (true) {
    PACO_TRY(mend(stop));
    if (postman_->wait(kLookMs) == NATS_OK) {
      const std::lock_guard lock(mutex_);
      if (again_.empty() && !hopeless_) {
        placeless_.clear();
        return {};
      }
      continue;
    }
    PACO_TRY(keep_on(stop));
    look_after();
  }
}

}  // namespace paco::bus
