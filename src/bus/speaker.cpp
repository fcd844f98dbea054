#include "bus/speaker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/try.hpp"
#include "bus/subjects.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kWindow = 64;
constexpr auto kNoAnswer = std::chrono::milliseconds(2000);

}  // namespace

Speaker::Speaker(std::shared_ptr<Connection> connection, const std::string& stream,
                 const std::string& name)
    : connection_(std::move(connection)),
      subject_(subject_of(stream, Part::decisions)),
      prefix_(fmt::format("{}-{:08x}-", name, std::random_device()())) {}

Result<std::unique_ptr<Speaker>> Speaker::open(std::shared_ptr<Connection> connection,
                                               const std::string& stream, const std::string& name) {
  std::unique_ptr<Speaker> speaker(new Speaker(std::move(connection), stream, name));
  Speaker* raw = speaker.get();
  PACO_ASSIGN(speaker->postman_, Postman::open(speaker->connection_, raw->subject_, kWindow,
                                               [raw](Postman::Answer answer) {
                                                 const std::lock_guard lock(raw->mutex_);
                                                 raw->answers_.push_back(std::move(answer));
                                               }));
  return speaker;
}

Result<bool> Speaker::say(const Group& group, std::uint64_t after) {
  const std::string bytes = group_bytes(group), id = fmt::format("{}{}", prefix_, count_++);
  natsMsg* raw = nullptr;
  natsStatus status =
      natsMsg_Create(&raw, subject_.c_str(), nullptr, bytes.data(), static_cast<int>(bytes.size()));
  Message message(raw);
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MsgId = id.c_str();
  options.ExpectLastSeq = after;
  options.ExpectNoMessage = after == 0;
  if (!sent_.empty()) options.ExpectLastMsgId = sent_.back().id.c_str();
  if (status == NATS_OK) status = postman_->send(message, &options);
  if (status == NATS_OK) {
    sent_.push_back({id, group.first, after + 1, std::chrono::steady_clock::now()});
    return true;
  }
  if (!Connection::may_pass(status, jsErrCode(0)) && status != NATS_INSUFFICIENT_BUFFER)
    return connection_->error(fmt::format("publishing to {}", subject_), status, jsErrCode(0));
  return false;
}

Result<Speaker::News> Speaker::news() {
  News news;
  std::vector<Postman::Answer> answers;
  {
    const std::lock_guard lock(mutex_);
    answers.swap(answers_);
  }
  for (const Postman::Answer& answer : answers) {
    const char* id = nullptr;
    natsMsgHeader_Get(answer.message.get(), "Nats-Msg-Id", &id);
    const auto sent = std::find_if(sent_.begin(), sent_.end(),
                                   [&](const Sent& one) { return id != nullptr && one.id == id; });
    if (sent == sent_.end()) continue;  // of those that count no more
    if (answer.status == NATS_OK && answer.sequence == sent->message && !answer.duplicate) {
      if (news.first == 0) news.first = sent->first;
      sent_.erase(sent_.begin(), sent + 1);  // what was before it stands, too
      continue;
    }
    forget();
    news.refused = true;
    if (answer.status == NATS_OK || answer.code == JSStreamWrongLastSequenceErr ||
        answer.code == JSStreamWrongLastMsgIDErr ||
        Connection::may_pass(answer.status, answer.code)) {
      continue;
    }
    return connection_->error(fmt::format("publishing to {} ({})", subject_, answer.text),
                              answer.status, answer.code);
  }
  if (!sent_.empty() && std::chrono::steady_clock::now() - sent_.front().since > kNoAnswer) {
    forget();
    news.refused = true;
  }
  return news;
}

void Speaker::forget() {
  sent_.clear();
  postman_->take_back();
}

}  // namespace paco::bus
