#include "bus/decision_publisher.hpp"

#include "core/try.hpp"

namespace paco::bus {
namespace {

constexpr auto kNoAnswer = std::chrono::milliseconds(2000);

}  // namespace

Result<bool> DecisionPublisher::publish(const Group& group, std::uint64_t after) {
  const Append message{subject_, group_bytes(group), "decisions", {}, after};
  PACO_ASSIGN(const std::optional<std::uint64_t> token, appender_->append(message));
  if (!token) return false;
  sent_ = Sent{group.first, after + 1, now_()};
  return true;
}

Result<DecisionPublisher::Progress> DecisionPublisher::progress() {
  Progress progress;
  for (AppendAnswer& answer : appender_->answers()) {
    if (answer.kind == AppendAnswer::Kind::stored && answer.sequence == sent_->sequence) {
      progress.first = sent_->first;
      sent_.reset();
      break;  // at most one group is pending
    }
    abandon();
    progress.refused = true;
    if (answer.kind == AppendAnswer::Kind::failed) return std::move(*answer.error);
  }
  if (sent_ && now_() - sent_->since > kNoAnswer) {
    abandon();
    progress.refused = true;
  }
  return progress;
}

void DecisionPublisher::abandon() {
  sent_.reset();
  appender_->abandon();
}

}  // namespace paco::bus
