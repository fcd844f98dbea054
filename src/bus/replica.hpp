// A deciding replica: folds the events of a stream in their order, compares what it finds with what
// stands on the decisions subject, and speaks itself where nobody else does.
//
// Any number of replicas may run. There is no election: whoever publishes a group says which one it
// expects to stand last, and JetStream takes the first and refuses the others, who go on listening
// (speaker.hpp).
// A replica that hears a decision or a digest other than its own stops and says so; nothing that
// stands is ever changed.
//
// An operation is folded alone: when all before it stand, and nothing after it until it stands. So
// a replica that was killed finds each operation either in its journal or to be done on the same
// state as everywhere.
//
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/decisions.hpp"
#include "bus/folding.hpp"
#include "bus/reader.hpp"
#include "bus/settings.hpp"
#include "bus/speaker.hpp"

namespace paco::bus {

struct ReplicaOptions {
  std::string speaker;   // its name in what it publishes
  int silence_ms = 300;  // how long what it has decided may go unsaid before it speaks
  // Told of every group that stands, in order; empty: nobody is.
  std::function<void(const Group&)> stands;
  // A remark for people: who speaks now.
  std::function<void(const std::string&)> note;
};

class Replica {
 public:
  Replica(std::shared_ptr<Connection> connection, StreamSettings settings, Holder& holder,
          ReplicaOptions options);

  // Finds where to go on (replica_start.cpp). Once, before step().
  Result<void> start(const std::stop_token& stop);
  // Folds, hears and speaks what there is; waits a few milliseconds where there is nothing.
  Result<void> step(const std::stop_token& stop);
  // Until the token is set, or `events` of them stand.
  Result<void> run(std::uint64_t events, const std::stop_token& stop);

  const Place& folded() const { return folding_.place(); }
  std::uint64_t standing() const { return standing_.event; }
  bool speaking() const { return speaking_; }
  std::uint64_t changes() const { return changes_; }  // how often it began to speak

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Waiting {
    Record record;
    Place after;
    Time since;
  };

  Result<void> listen(const std::stop_token& stop);
  Result<void> fold();
  Result<void> fold_samples();
  void keep(Record record, const Place& after);
  Result<void> hear(const std::stop_token& stop);
  Result<void> settle(const Heard& heard);
  Result<void> speak();
  Result<bool> heed_answers();
  void be_silent();
  Group next_group() const;
  bool due() const;  // to speak
  Error differs(std::uint64_t event, const std::string& there, const std::string& here,
                const std::string& speaker) const;

  const std::shared_ptr<Connection> connection_;
  const StreamSettings settings_;
  const ReplicaOptions options_;
  Folding folding_;
  std::unique_ptr<Reader> events_, decisions_;
  std::unique_ptr<Speaker> speaker_;

  std::vector<Message> inbox_;       // scratch
  std::vector<Result<Event>> line_;  // read; from line_at_ on not folded
  std::size_t line_at_ = 0;
  std::deque<Waiting> waiting_;                   // folded, not standing
  std::map<std::uint64_t, std::string> digests_;  // of states that are folded, not standing
  std::deque<Heard> heard_;                       // standing, not folded here
  bool alone_ = false;                            // an operation is folded and does not stand yet

  struct Standing {
    std::uint64_t event = 0, message = 0;  // the last event that stands, and its message
  };
  Standing standing_, spoken_;  // spoken_ is ahead while own groups are under way
  std::uint64_t heard_event_ = 0;
  Time heard_time_{};
  bool speaking_ = false;
  std::uint64_t changes_ = 0;
};

}  // namespace paco::bus
