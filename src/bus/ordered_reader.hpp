// Reads one log in order from a given number on, without gaps or repetitions, whatever its
// subscription loses: if a message is missing or nothing arrives for a while, the reader requests
// it again.
//
// Each request begins with the last message that was read, and the reader compares it with its
// earlier content. So it notices a store that was restored without some messages and gives new
// messages the numbers of the lost ones.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/log.hpp"

namespace paco::bus {

std::uint64_t message_sum(std::string_view bytes);

class OrderedReader {
 public:
  // `name` begins the message of an error. `first`: the message to begin with. If not `whole`, the
  // subscription leaves out messages of other subjects, so numbers may be missing. `before`:
  // message_sum() of the message before the first one, which the log must have; 0 if unknown.
  OrderedReader(std::unique_ptr<Subscription> subscription, std::string name, std::uint64_t first,
                SteadyClock now, bool whole = true, std::uint64_t before = 0);

  // Appends available messages, at most `most`, and waits up to `wait_ms` milliseconds for the
  // first. Fails if a needed message is no longer kept, if the log lost messages that were read
  // from it, or if no server answers for as long as the subscription allows.
  Result<void> take(std::vector<LogMessage>& out, std::size_t most, int wait_ms,
                    const std::stop_token& stop);

 private:
  Result<void> begin(const std::stop_token& stop);
  Error lost_messages(const std::string& what) const;
  // Requests messages again if the log has any that were not delivered.
  Result<void> check(const std::stop_token& stop);

  const std::unique_ptr<Subscription> subscription_;
  const std::string name_;
  const SteadyClock now_;
  const bool whole_;
  std::uint64_t next_;
  std::optional<std::uint64_t> last_sum_;  // of message next_ - 1; only if `whole`
  bool is_proven_ = false;                 // that message came again unchanged since begin()
  bool begun_ = false;
  Time last_delivery_{};
  std::optional<Time> short_since_;  // since when the log ends before message next_ - 1
};

}  // namespace paco::bus
