// A deciding replica: folds the events of a stream in order, compares its decisions with the
// committed ones, and publishes decisions itself if no other replica does.
//
// Any number of replicas may run. There is no election: a replica that publishes a group names the
// message that must be the last one, and the log takes the first such group and refuses the others,
// whose replicas step down (decision_publisher.hpp). A decision is committed when its group is in
// the log.
// A replica that reads a decision, a digest or a chain of events other than its own stops with an
// error; nothing that is committed is ever changed.
//
// An operation is folded alone: when all before it are committed, and nothing after it until it is
// committed. So a replica that was killed finds each operation either in its journal or to be
// carried out on the same state as everywhere.
//
// It uses its logs and its clock only through log.hpp, so a test can drive it step by step.
//
// Thread rule: one thread at a time.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/committed_group.hpp"
#include "bus/decision_publisher.hpp"
#include "bus/folding.hpp"
#include "bus/ordered_reader.hpp"
#include "bus/stream_settings.hpp"

namespace paco::bus {

struct ReplicaOptions {
  std::string name;  // written into what it publishes
  // How long a decision may stay uncommitted before this replica publishes it.
  int takeover_ms = 300;
  // Called with every committed group, in order.
  std::function<void(const Group&)> on_committed;
  // Receives messages for people: that this replica starts publishing.
  std::function<void(const std::string&)> note;
  // Tests switch this rule of the protocol off, to show that it is needed.
  bool operations_alone = true;
};

class Replica {
 public:
  // `log` and `state` must outlive the replica.
  Replica(StreamLog& log, StreamSettings settings, StreamState& state, ReplicaOptions options);

  // Finds where to continue (replica_start.cpp). Call once, before step().
  Result<void> start(const std::stop_token& stop);
  // Folds, reads and publishes what is available; waits a few milliseconds if nothing is.
  Result<void> step(const std::stop_token& stop);
  // Runs until the token is set, or until `events` events are committed.
  Result<void> run(std::uint64_t events, const std::stop_token& stop);

  const LogPosition& folded() const { return folding_.position(); }
  std::uint64_t committed() const { return committed_.event; }
  bool publishing() const { return publishing_; }
  std::uint64_t takeovers() const { return takeovers_; }  // how often it started publishing

 private:
  struct Uncommitted {
    Record record;
    LogPosition after;
    Time since;
  };
  // The end of a group: its last event, and the number of its message.
  struct GroupEnd {
    std::uint64_t event = 0, message = 0;
  };

  Result<void> read_events(const std::stop_token& stop);
  Result<void> fold();
  Result<void> fold_samples();
  void keep(Folding::Folded folded);
  Result<void> consume(const std::stop_token& stop);
  Result<void> commit(const CommittedGroup& committed);
  Result<void> publish();
  Result<bool> take_progress();
  void step_down();
  Group next_group() const;
  bool due() const;  // whether to publish now
  Error differs(std::uint64_t event, const std::string& there, const std::string& here,
                const std::string& publisher) const;

  StreamLog& log_;
  const StreamSettings settings_;
  const ReplicaOptions options_;
  StreamState& state_;
  Folding folding_;
  std::unique_ptr<OrderedReader> events_, decisions_;
  std::unique_ptr<DecisionPublisher> publisher_;

  std::vector<LogMessage> inbox_;     // scratch
  std::vector<LoggedEvent> pending_;  // read events; those from pending_at_ on are not folded yet
  std::size_t pending_at_ = 0;
  std::uint64_t chain_ = 0;                       // of the events read so far
  std::deque<Uncommitted> uncommitted_;           // folded, not yet committed
  std::map<std::uint64_t, std::string> digests_;  // digests of folded states, by event
  std::deque<CommittedGroup> ahead_;              // committed groups that are not folded here yet
  bool operation_open_ = false;                   // an operation is folded and not yet committed

  GroupEnd committed_, published_;  // published_ is ahead while an own group is pending
  std::uint64_t read_event_ = 0;    // the last event of the groups that were read
  Time group_time_{};               // when the last group was read, or the last own group stored
  bool publishing_ = false;
  std::uint64_t takeovers_ = 0;
};

}  // namespace paco::bus
