// Folds events of the bus into the state of a stream: applies them in order and makes a record of
// the outcome of each.
//
// Replicas that fold the same events make the same records. An event that the journal already has
// can be folded again: samples are recognised by their keys, operations by their number in the
// journal. So a replica that was killed can continue at any event up to the one where it stopped.
//
// The order of events, and which replica publishes their outcomes, is determined in replica.hpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bus/event.hpp"
#include "bus/record.hpp"
#include "bus/stream_state.hpp"

namespace paco::bus {

// An event of the log; an error if its bytes are no event.
struct LoggedEvent {
  Result<Event> event;
  std::uint64_t chain = 0;  // of all events up to this one
  std::uint64_t sum = 0;    // checksum of its bytes
};

// Extends the chain by one event, given the checksum of that event. The chain reveals logs that
// differ, but not forgery.
std::uint64_t chain_event(std::uint64_t chain, std::uint64_t sum);

class Folding {
 public:
  Folding(StreamState& state, std::size_t dimension) : state_(state), dimension_(dimension) {}

  // Called once, before anything is folded: the next event is the one after `position`.
  Result<void> start(const LogPosition& position);
  const LogPosition& position() const { return position_; }
  std::size_t evidence() const { return evidence_; }

  struct Folded {
    Record record;
    LogPosition after;
  };
  // Folds the next events up to the first operation.
  Result<std::vector<Folded>> samples(std::span<const LoggedEvent> events);
  // Folds the next event.
  Result<Folded> operation(const LoggedEvent& event);
  // The digest of the state; empty while the journal is ahead of the events that are folded again.
  Result<std::string> digest();

 private:
  Result<void> decide(std::span<const SampleEvent* const> run, std::span<Record> records);
  Result<OperationOutcome> carry_out(const std::string& json);
  Result<void> refuse_again(const Event& event, Record& record);
  void name_categories(std::span<Folded> folded);

  StreamState& state_;
  const std::size_t dimension_;
  std::size_t evidence_ = 0;
  LogPosition position_;
  // For journal events before this one, the present category names may be wrong: a later operation
  // may have renamed the categories.
  std::uint64_t renamed_before_ = 0;
  std::vector<double> rows_;
  std::vector<Decision> decisions_;
};

}  // namespace paco::bus
