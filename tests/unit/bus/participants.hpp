// The processes of a simulation: replicas, publishers and a reader of decisions. Each steps at a
// pace of its own, can be paused, cut off from the servers and killed, and starts again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bus/committed_answers.hpp"
#include "bus/ordered_reader.hpp"
#include "bus/reliable_publisher.hpp"
#include "bus/replica.hpp"
#include "laws.hpp"
#include "simulated_log.hpp"
#include "toy_state.hpp"

namespace paco::bus {

class Participant;

struct World {
  Scheduler& scheduler;
  SimulatedServers& servers;
  FaultCounts& counts;
  const FaultRates& rates;
  const Broken broken;
  Laws& laws;
  std::vector<Participant*> participants;
};

class Participant {
 public:
  Participant(World& world, std::string name);
  virtual ~Participant() = default;

  const std::string& name() const { return name_; }
  Endpoint& endpoint() { return *endpoint_; }
  void begin();
  void pause(int milliseconds);
  void cut_off(int milliseconds);
  void heal();

 protected:
  // One step of the process; it starts first if it does not run. An error ends it.
  virtual Result<void> step() = 0;
  // It ends now.
  virtual void end() = 0;
  // `what` becomes of it; it starts again after a while.
  void end_process(const std::string& what);
  void trace(const std::string& text);

  World& world_;
  const std::shared_ptr<Endpoint> endpoint_;

 private:
  void schedule();
  void turn();

  const std::string name_;
  int pace_ms_;
  int paused_until_ = 0;
  bool restart_ = false;
};

// A replica, also as a server has one: with requests that wait for the decision of their key.
class SimulatedReplica final : public Participant {
 public:
  enum class Loss { nothing, not_durable, all };
  SimulatedReplica(World& world, const std::string& name, int digest_every);

  // What it loses of its journal. `snapshot`: it begins with a copy of that one's.
  void kill(Loss loss, const SimulatedReplica* snapshot);
  void restart() { end_process("is killed together with a server"); }
  bool publishing() const { return replica_ && replica_->publishing(); }
  std::uint64_t committed() const { return replica_ ? replica_->committed() : 0; }
  std::string digest() { return *state_.digest(); }
  // All requests are answered, or their sender knows that they were not.
  bool done() const { return answers_.any() == nullptr; }

 private:
  Result<void> step() override;
  void end() override;
  Result<void> start();
  void ask();
  void take_answer(const std::string& key, const Record& record);

  StreamSettings settings_;
  int requests_;  // still to be sent
  ToyState state_;
  std::size_t durable_ = 0;  // events of its journal
  std::unique_ptr<SimulatedStreamLog> log_;
  std::unique_ptr<Replica> replica_;
  std::unique_ptr<ReliablePublisher> publisher_;  // of the requests
  CommittedAnswers<std::string> answers_;         // the waiter is the key
};

class SimulatedPublisher final : public Participant {
 public:
  SimulatedPublisher(World& world, const std::string& name);
  // It starts again with its first message.
  void kill();
  bool done() const { return done_; }

 private:
  Result<void> step() override;
  void end() override;

  std::vector<Append> messages_;
  std::size_t next_ = 0;
  bool done_ = false;
  std::unique_ptr<ReliablePublisher> publisher_;
};

class SimulatedWatch final : public Participant {
 public:
  using Participant::Participant;
  std::uint64_t events() const { return events_; }

 private:
  Result<void> step() override;
  void end() override;

  std::uint64_t events_ = 0;
  std::unique_ptr<SimulatedStreamLog> log_;
  std::unique_ptr<OrderedReader> reader_;
};

}  // namespace paco::bus
