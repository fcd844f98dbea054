#include "bus/speaker.hpp"

#include <fmt/format.h>

#include <random>

#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr std::size_t kWindow = 8;  // one, and those that count no more
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
  if (status == NATS_OK) status = postman_->send(message, &options);
  if (status == NATS_OK) {
    sent_ = Sent{id, group.first, after + 1, std::chrono::steady_clock::now()};
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
    if (!sent_ || id == nullptr || sent_->id != id) continue;  // of those that count no more
    if (answer.status == NATS_OK && answer.sequence == sent_->message && !answer.duplicate) {
      news.first = sent_->first;
      sent_.reset();
      continue;
    }
    forget();
    news.refused = true;
    if (answer.status == NATS_OK || answer.code == JSStreamWrongLastSequenceErr ||
        Connection::may_pass(answer.status, answer.code)) {
      continue;
    }
    return connection_->error(fmt::format("publishing to {} ({})", subject_, answer.text),
                              answer.status, answer.code);
  }
  if (sent_ && std::chrono::steady_clock::now() - sent_->since > kNoAnswer) {
    forget();
    news.refused = true;
  }
  return news;
}

void Speaker::forget() {
  sent_.reset();
  postman_->take_back();
}

}  // namespace paco::bus
