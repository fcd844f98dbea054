// One log read in its order from a number on, without gap or double, whatever its subscription
// loses: if a message is missing or nothing comes for a while, the reader asks again.
//
// It asks from the last message on that it has, and holds that one to what it read. So a store that
// came back without messages, and numbers new ones like those that it lost, is not read on.
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
  // `name` begins the message of an error. `first`: the message to begin with. Not `whole`: the
  // subscription leaves out messages of other subjects, so numbers may be missing.
  // `before`: message_sum() of the message before the first one, which the log has to have; 0 if
  // that is not known.
  OrderedReader(std::unique_ptr<Subscription> subscription, std::string name, std::uint64_t first,
                SteadyClock now, bool whole = true, std::uint64_t before = 0);

  // Appends what is there, at most `most`, and waits for the first so many milliseconds. An error
  // if a message that is needed is no longer kept, if the log lost what was read from it, or if no
  // server answers for as long as the subscription allows.
  Result<void> take(std::vector<LogMessage>& out, std::size_t most, int wait_ms,
                    const std::stop_token& stop);

 private:
  Result<void> begin(const std::stop_token& stop);
  Error lost_messages(const std::string& what) const;
  // Finds out whether there is something to ask for.
  Result<void> check(const std::stop_token& stop);

  const std::unique_ptr<Subscription> subscription_;
  const std::string name_;
  const SteadyClock now_;
  const bool whole_;
  std::uint64_t next_;
  std::optional<std::uint64_t> last_sum_;  // of message next_ - 1; only if `whole`
  bool is_proven_ = false;                 // since begin() that message came again as it was
  bool begun_ = false;
  Time last_delivery_{};
  std::optional<Time> short_since_;  // the log ends before message next_ - 1
};

}  // namespace paco::bus
