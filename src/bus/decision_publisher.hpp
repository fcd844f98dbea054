// Publishes groups of decisions without waiting for the answer: while one group is under way, its
// replica goes on folding, and publishes all of that in the next group.
//
// A group is sent with the number of the message that must be the last one, so that the log takes
// it only if no other replica has published since. One group is under way at a time: the number
// that a second one would have to name could by then be another replica's group.
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

  // Sends a group that must become the message after `after`; false if it cannot be sent now. Not
  // while another group is under way.
  Result<bool> publish(const Group& group, std::uint64_t after);

  struct Progress {
    std::uint64_t first = 0;  // first event of the group that was stored now; 0: none was
    bool refused = false;     // another replica published, or there is no answer
  };
  // What became of the group under way. An error if the servers will not take any.
  Result<Progress> progress();
  bool under_way() const { return sent_.has_value(); }
  // Gives the group under way up. It may be stored all the same.
  void abandon();
  std::size_t max_message() const { return appender_->max_message(); }

 private:
  struct Sent {
    std::uint64_t first = 0;     // event
    std::uint64_t sequence = 0;  // that the message must get
    Time since;
  };

  const std::unique_ptr<LogAppender> appender_;
  const std::string subject_;
  const SteadyClock now_;
  std::optional<Sent> sent_;
};

}  // namespace paco::bus
