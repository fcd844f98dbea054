// Finds where a replica continues: its journal may end before or after the committed decisions. It
// starts folding after a group that its journal already includes, which is allowed (folding.hpp),
// and reads all later groups, so that it compares everything it decides. It also checks that the
// log still has the last event of that group unchanged.
#include <fmt/format.h>

#include "bus/replica.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"

namespace paco::bus {

Result<void> Replica::start(const std::stop_token& stop) {
  PACO_ASSIGN(const JournalEnd own, state_.journal_end());
  PACO_ASSIGN(std::optional<CommittedGroup> passed, newest_group(log_, settings_.name, stop));
  if (passed && passed->group.last() > own.event) {
    PACO_ASSIGN(const CommittedGroup next,
                group_with(log_, settings_.name, own.event + 1, passed->sequence, stop));
    passed.reset();
    if (next.sequence > 1) {
      PACO_ASSIGN(passed, group_at(log_, settings_.name, next.sequence - 1, stop));
    }
  }
  LogPosition position;
  if (passed) {
    const Group& group = passed->group;
    position = {group.last(), group.samples, group.journal, group.chain, group.last_event};
    committed_ = {group.last(), passed->sequence};
  }
  if (position.journal > own.journal || position.samples > own.samples) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("stream '{}': the journal has {} samples and {} events, {} and {} are "
                    "committed",
                    settings_.name, own.samples, own.journal, position.samples, position.journal),
        "it is the journal of another stream; name one that is not there"};
  }
  PACO_TRY(folding_.start(position));
  published_ = committed_;
  read_event_ = committed_.event;
  chain_ = position.chain;
  group_time_ = log_.now();
  const SteadyClock now = [this] { return log_.now(); };
  PACO_ASSIGN(auto appender, log_.decision_appender());
  publisher_ = std::make_unique<DecisionPublisher>(
      std::move(appender), subject_of(settings_.name, Part::decisions), now);
  // The log must still have the event at this position, unchanged.
  events_ =
      std::make_unique<OrderedReader>(log_.events(), jetstream_of(settings_.name, Part::events),
                                      position.event + 1, now, true, position.sum);
  decisions_ = std::make_unique<OrderedReader>(
      log_.decisions(), jetstream_of(settings_.name, Part::decisions), committed_.message + 1, now);
  return {};
}

}  // namespace paco::bus
