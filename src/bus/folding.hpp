// Events of the bus folded into the state of a stream, and what became of each as a record.
//
// Replicas that fold the same events make the same records. Folding an event again that the journal
// has is harmless: samples are known by their keys, operations by their number in the journal. So a
// replica that was killed continues from any event that it had not passed.
//
// Not here: which events come when, and which replica publishes what became of them (replica.hpp).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bus/event.hpp"
#include "bus/record.hpp"
#include "bus/stream_state.hpp"

namespace paco::bus {

// An event as the log has it; an error if its bytes are no event.
struct LoggedEvent {
  Result<Event> event;
  std::uint64_t chain = 0;  // of all events up to this one
  std::uint64_t sum = 0;    // checksum of its bytes
};

// The chain with one more event, of which it takes the checksum. It finds logs that differ, not
// forgery.
std::uint64_t chain_event(std::uint64_t chain, std::uint64_t sum);

class Folding {
 public:
  Folding(StreamState& state, std::size_t dimension) : state_(state), dimension_(dimension) {}

  // Once, before anything is folded: the next event is the one after `position`.
  Result<void> start(const LogPosition& position);
  const LogPosition& position() const { return position_; }
  std::size_t evidence() const { return evidence_; }

  struct Folded {
    Record record;
    LogPosition after;
  };
  // The next events up to the first operation.
  Result<std::vector<Folded>> samples(std::span<const LoggedEvent> events);
  // The next event.
  Result<Folded> operation(const LoggedEvent& event);
  // Of the state; empty while the journal is ahead of the events that are folded again.
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
  // Journal events before this one are a past that the state has left behind: an operation came
  // after them, and may have renamed their categories.
  std::uint64_t renamed_before_ = 0;
  std::vector<double> rows_;
  std::vector<Decision> decisions_;
};

}  // namespace paco::bus
