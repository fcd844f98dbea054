// log.hpp in memory, with the faults of the real system under a seeded scheduler: requests and
// answers that are late or lost, deliveries that are late, lost, doubled or out of order, servers
// that go away, clients that are cut off, and processes that stand still in the midst of a call.
//
// Like JetStream it keeps a message on three servers, and each removes repeated message ids by a
// clock of its own.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bus/log.hpp"
#include "scheduler.hpp"

namespace paco::bus {

// How often what goes wrong by itself: once in so many; 0: never.
struct FaultRates {
  int lost_request = 0, lost_answer = 0, late_request = 0, refused_request = 0;
  int lost_delivery = 0, doubled_delivery = 0, swapped_delivery = 0, broken_subscription = 0;
  int stale_answer = 0, pause_in_call = 0, known_id_without_message = 0;
};

// Protocols that are wrong on purpose, to prove that the laws find it.
enum class Broken {
  nothing,
  append_without_expected_last,       // the log takes every group
  publisher_that_does_not_step_down,  // a refused group is sent again behind the last one
  answer_before_stored,               // a sample is acknowledged when it is sent
  reader_without_order,               // deliveries are taken as they come
  replica_without_keys,               // a repeated key is a new sample
  replica_without_history,            // an operation in the journal is not recognised
  sample_with_message_id,             // each server forgets it by its own clock
  answer_from_journal,                // a server answers before the decision is committed
  server_that_loses_messages,         // acknowledged ones, with its store
  reader_that_does_not_prove,         // that server, and readers that go on wherever they were
  start_that_does_not_prove,          // that server, and replicas that start wherever they were
  operation_not_alone,                // an operation is folded while samples are uncommitted
};

using FaultCounts = std::map<std::string, int>;

// A process as the network sees it.
class Endpoint {
 public:
  Endpoint(Scheduler& scheduler, std::string name, const FaultRates& rates, FaultCounts& counts)
      : scheduler_(scheduler), name_(std::move(name)), rates_(rates), counts_(counts) {}

  Scheduler& scheduler() { return scheduler_; }
  Chance& chance() { return scheduler_.chance(); }
  const FaultRates& rates() const { return rates_; }
  const std::string& name() const { return name_; }
  bool happens(int once_in, const char* fault);
  void count(const char* fault) { ++counts_[fault]; }

  // Everything else goes on meanwhile.
  void stand_still(int milliseconds);
  void maybe_stand_still();
  // Returns when it is not cut off any more, or when it is to be killed: false.
  bool wait_for_servers();
  bool still() const { return depth_ > 0; }

  bool cut_off = false;
  bool killed = false;  // as soon as the call that it is in returns
  std::uint64_t server_changes = 0;

 private:
  Scheduler& scheduler_;
  const std::string name_;
  const FaultRates& rates_;
  FaultCounts& counts_;
  int depth_ = 0;
};

class SimulatedLog {
 public:
  struct Stored {
    std::shared_ptr<const std::string> bytes;
    std::string name;
  };
  // What a subscription has been sent. Servers keep it, so it may outlive the subscription.
  struct Outgoing {
    std::shared_ptr<Endpoint> endpoint;
    std::size_t server = 0;
    std::uint64_t next = 1;
    std::deque<LogMessage> arrived;
    bool pumping = false;
  };

  SimulatedLog(Scheduler& scheduler, Broken broken, int id_window_ms);

  AppendAnswer append(const Append& message, Chance& chance, const FaultRates& rates,
                      FaultCounts& counts);
  void subscribe(const std::shared_ptr<Outgoing>& outgoing);
  // Sends what there is to all subscriptions.
  void send_all();
  // The last message is gone on all servers.
  void lose_last();
  const std::vector<Stored>& messages(std::size_t server = 0) const {
    return servers_[server].messages;
  }

  bool available = true;

 private:
  struct Server {
    std::vector<Stored> messages;
    std::map<std::string, std::pair<int, std::uint64_t>> ids;  // when, and the number
    int clock_ms = 0;                                          // its clock differs by so much
  };
  void pump(const std::weak_ptr<Outgoing>& outgoing);
  void pump_soon(const std::shared_ptr<Outgoing>& outgoing);

  Scheduler& scheduler_;
  const Broken broken_;
  const int id_window_ms_;
  std::array<Server, 3> servers_;
  std::set<std::string> ids_without_message_;
  std::vector<std::weak_ptr<Outgoing>> subscriptions_;
};

bool loses_messages(Broken broken);

// Both logs of a stream.
struct SimulatedServers {
  SimulatedLog& of(const std::string& subject) {
    return subject.ends_with("decisions") ? decisions : events;
  }
  SimulatedLog events, decisions;
  const Broken broken;
  const FaultRates& rates;
  FaultCounts& counts;
  std::set<std::string> acknowledged = {};  // names of messages whose publisher read the answer
};

std::unique_ptr<LogAppender> simulated_appender(SimulatedServers& servers,
                                                std::shared_ptr<Endpoint> endpoint);
std::unique_ptr<Subscription> simulated_subscription(SimulatedServers& servers, SimulatedLog& log,
                                                     std::shared_ptr<Endpoint> endpoint);

class SimulatedStreamLog final : public StreamLog {
 public:
  SimulatedStreamLog(SimulatedServers& servers, std::shared_ptr<Endpoint> endpoint)
      : servers_(servers), endpoint_(std::move(endpoint)) {}
  std::unique_ptr<Subscription> events() override {
    return simulated_subscription(servers_, servers_.events, endpoint_);
  }
  std::unique_ptr<Subscription> decisions() override {
    return simulated_subscription(servers_, servers_.decisions, endpoint_);
  }
  Result<std::unique_ptr<LogAppender>> decision_appender() override {
    return simulated_appender(servers_, endpoint_);
  }
  Result<std::optional<LogMessage>> decision_message(std::uint64_t sequence,
                                                     const std::stop_token& stop) override;
  Time now() const override { return endpoint_->scheduler().now(); }

 private:
  SimulatedServers& servers_;
  const std::shared_ptr<Endpoint> endpoint_;
};

}  // namespace paco::bus
