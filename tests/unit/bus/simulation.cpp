#include "simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bus/replica.hpp"
#include "bus/subjects.hpp"
#include "core/try.hpp"
#include "laws.hpp"
#include "participants.hpp"

namespace paco::bus {
namespace {

constexpr int kHealMs = 90'000;  // in which everything must be decided

FaultRates rates_of(Chance& chance) {
  const auto rate = [&](int low, int high) {
    return chance.once_in(2) ? 0 : chance.between(low, high);
  };
  FaultRates r;
  r.lost_request = rate(4, 40);
  r.lost_answer = rate(4, 40);
  r.late_request = rate(4, 40);
  r.refused_request = rate(4, 40);
  r.lost_delivery = rate(5, 60);
  r.doubled_delivery = rate(3, 40);
  r.swapped_delivery = rate(3, 40);
  r.broken_subscription = rate(20, 200);
  r.stale_answer = rate(2, 10);
  r.pause_in_call = rate(20, 300);
  r.known_id_without_message = rate(2, 5);
  return r;
}

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options)
      : options_(options),
        scheduler_(options.seed, options.tracing),
        rates_(rates_of(scheduler_.chance())),
        servers_{log_of(options), log_of(options), options.broken, rates_, counts_},
        world_{scheduler_, servers_, counts_, rates_, options.broken, laws_, {}} {
    Chance& chance = scheduler_.chance();
    const int digest_every = chance.between(2, 12);
    for (int i = chance.between(2, 3); i > 0; --i) {
      replicas_.push_back(
          std::make_unique<SimulatedReplica>(world_, fmt::format("replica-{}", i), digest_every));
    }
    for (int i = chance.between(1, 2); i > 0; --i) {
      publishers_.push_back(
          std::make_unique<SimulatedPublisher>(world_, fmt::format("publisher-{}", i)));
    }
    watch_ = std::make_unique<SimulatedWatch>(world_, "watch");
  }

  SimulationOutcome run() {
    for (const auto& replica : replicas_) replica->begin();
    for (const auto& publisher : publishers_) publisher->begin();
    watch_->begin();
    const int end = scheduler_.chance().between(1000, 6000);
    schedule_fault(end);
    run_until(end);
    heal();
    const int limit = scheduler_.milliseconds() + kHealMs;
    while (!laws_.violation && !finished() && scheduler_.milliseconds() < limit)
      run_until(scheduler_.milliseconds() + 500);
    SimulationOutcome out;
    if (!laws_.violation && !finished()) {
      laws_.violate(fmt::format(
          "every sample once: {} of {} events are decided long after the last "
          "fault{}",
          watch_->events(), servers_.events.messages().size(),
          publishers_done() && replicas_done() ? "" : ", and a process waits for an answer"));
    }
    if (!laws_.violation) check_end();
    out.violation = laws_.violation;
    out.faults = counts_;
    out.events = servers_.events.messages().size();
    out.groups = servers_.decisions.messages().size();
    out.repeated = laws_.repeated;
    out.trace = scheduler_.trace();
    return out;
  }

 private:
  // A window of message ids that ends within the run, for the protocol that relies on it.
  SimulatedLog log_of(const SimulationOptions& options) {
    const bool short_window = options.broken == Broken::sample_with_message_id;
    return {scheduler_, options.broken, short_window ? 1500 : 600'000};
  }

  void run_until(int end) {
    while (!laws_.violation && scheduler_.run_next(end)) {
    }
  }

  void schedule_fault(int end) {
    scheduler_.after(scheduler_.chance().between(30, 900), [this, end] {
      if (scheduler_.milliseconds() >= end) return;
      fault();
      schedule_fault(end);
    });
  }

  Participant& any() {
    const auto all = static_cast<int>(replicas_.size() + publishers_.size());
    const auto at = static_cast<std::size_t>(scheduler_.chance().between(0, all - 1));
    if (at < replicas_.size()) return *replicas_[at];
    return *publishers_[at - replicas_.size()];
  }
  SimulatedReplica& any_replica() {
    return *replicas_[scheduler_.chance().next() % replicas_.size()];
  }

  void fault() {
    Chance& chance = scheduler_.chance();
    const int span = chance.between(50, 3500);
    switch (chance.between(0, 8)) {
      case 0:
      case 1: {  // the one that publishes decisions is the one that matters most
        SimulatedReplica* one = &any_replica();
        for (const auto& replica : replicas_)
          if (replica->publishing() && chance.once_in(2)) one = replica.get();
        return one->pause(span);
      }
      case 2:
        return any().pause(span);
      case 3:
        return any().cut_off(span);
      case 4: {
        SimulatedReplica& one = any_replica();
        switch (chance.between(0, 3)) {
          case 0:
            return one.kill(SimulatedReplica::Loss::nothing, nullptr);
          case 1:
            return one.kill(SimulatedReplica::Loss::not_durable, nullptr);
          case 2:
            return one.kill(SimulatedReplica::Loss::all, nullptr);
          default:
            return one.kill(SimulatedReplica::Loss::all, &any_replica());
        }
      }
      case 5:
        return publishers_[chance.next() % publishers_.size()]->kill();
      case 6:
        return change_leader();
      case 7:
        return close_servers(span);
      default:
        return lose_message();
    }
  }

  // A server comes back without its newest message, and leads.
  void lose_message() {
    if (!loses_messages(options_.broken) || servers_.events.messages().empty()) return;
    scheduler_.trace("the last event is lost");
    servers_.events.lose_last();
    for (Participant* one : world_.participants) ++one->endpoint().server_changes;
    // It may have taken the replicas with it: those that run notice by what they have read, those
    // that start by what was decided.
    const bool all_start =
        options_.broken == Broken::start_that_does_not_prove ||
        (options_.broken == Broken::server_that_loses_messages && scheduler_.chance().once_in(2));
    if (!all_start) return;
    for (const auto& replica : replicas_) replica->restart();
  }

  void change_leader() {
    ++counts_["changes of leader"];
    scheduler_.trace("another server leads");
    for (Participant* one : world_.participants)
      if (!scheduler_.chance().once_in(3)) ++one->endpoint().server_changes;
  }

  void close_servers(int span) {
    ++counts_["servers away"];
    scheduler_.trace(fmt::format("the servers are away for {} ms", span));
    servers_.events.available = servers_.decisions.available = false;
    scheduler_.after(span, [this] { open_servers(); });
  }

  void open_servers() {
    servers_.events.available = servers_.decisions.available = true;
    servers_.events.send_all();
    servers_.decisions.send_all();
  }

  void heal() {
    scheduler_.trace("no more faults");
    rates_ = {};
    open_servers();
    for (Participant* one : world_.participants) one->heal();
  }

  bool publishers_done() const {
    return std::all_of(publishers_.begin(), publishers_.end(),
                       [](const auto& one) { return one->done(); });
  }
  bool replicas_done() const {
    return std::all_of(replicas_.begin(), replicas_.end(),
                       [](const auto& one) { return one->done(); });
  }
  // All are through. Requests that are late may still arrive before that.
  bool finished() const {
    const std::uint64_t events = servers_.events.messages().size();
    return publishers_done() && watch_->events() == events &&
           std::all_of(replicas_.begin(), replicas_.end(),
                       [&](const auto& one) { return one->committed() == events && one->done(); });
  }

  void check_end() {
    laws_.check_logs(servers_);
    for (const auto& replica : replicas_) laws_.check_state(replica->name(), replica->digest());
  }

  const SimulationOptions options_;
  Scheduler scheduler_;
  FaultRates rates_;
  FaultCounts counts_;
  SimulatedServers servers_;
  Laws laws_;
  World world_;
  std::vector<std::unique_ptr<SimulatedReplica>> replicas_;
  std::vector<std::unique_ptr<SimulatedPublisher>> publishers_;
  std::unique_ptr<SimulatedWatch> watch_;
};

}  // namespace

SimulationOutcome simulate(const SimulationOptions& options) { return Simulation(options).run(); }

}  // namespace paco::bus
