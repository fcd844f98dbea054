// One log read in its order from a number on, without gap or double, whatever its subscription
// loses: if a message is missing or nothing comes for a while, the reader asks again from the
// message on that it needs.
//
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bus/log.hpp"

namespace paco::bus {

class OrderedReader {
 public:
  // `name` begins the message of an error. `first`: the message to begin with. Not `whole`: the
  // subscription leaves out messages of other subjects, so numbers may be missing.
  OrderedReader(std::unique_ptr<Subscription> subscription, std::string name, std::uint64_t first,
                SteadyClock now, bool whole = true);

  // Appends what is there, at most `most`, and waits for the first so many milliseconds. An error
  // if a message that is needed is no longer kept, or if no server answers for as long as the
  // subscription allows.
  Result<void> take(std::vector<LogMessage>& out, std::size_t most, int wait_ms,
                    const std::stop_token& stop);

 private:
  Result<void> begin(const std::stop_token& stop);
  // Finds out whether there is something to ask for.
  Result<void> check(const std::stop_token& stop);

  const std::unique_ptr<Subscription> subscription_;
  const std::string name_;
  const SteadyClock now_;
  const bool whole_;
  std::uint64_t next_;
  bool begun_ = false;
  Time last_delivery_{};
};

}  // namespace paco::bus
