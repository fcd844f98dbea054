// Publishes groups of decisions without waiting for the answer: while one group is pending, its
// replica continues folding, and publishes those events in the next group.
//
// A group is sent with the number of the message that must be the last one, so that the log accepts
// it only if no other replica has published since. At most one group is pending: a second one would
// have to name a number that could by then belong to another replica's group.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bus/log.hpp"
#include "bus/record.hpp"

namespace paco::bus {

class DecisionPublisher {
 public:
  DecisionPublisher(std::unique_ptr<LogAppender> appender, std::string subject, SteadyClock now)
      : appender_(std::move(appender)), subject_(std::move(subject)), now_(std::move(now)) {}

  // Sends a group that must become the message after `after`; false if it cannot be sent now. Must
  // not be called while another group is pending.
  Result<bool> publish(const Group& group, std::uint64_t after);

  struct Progress {
    std::uint64_t first = 0;  // first event of the group that was just stored; 0: none
    bool refused = false;     // another replica published, or there is no answer
  };
  // The state of the pending group. An error if the servers accept no groups at all.
  Result<Progress> progress();
  bool under_way() const { return sent_.has_value(); }
  // Stops waiting for the pending group. It may still be stored.
  void abandon();
  std::size_t max_message() const { return appender_->max_message(); }

 private:
  struct Sent {
    std::uint64_t first = 0;     // event
    std::uint64_t sequence = 0;  // number that the message must get
    Time since;
  };

  const std::unique_ptr<LogAppender> appender_;
  const std::string subject_;
  const SteadyClock now_;
  std::optional<Sent> sent_;
};

}  // namespace paco::bus
