// Two replicas over logs without faults: which one publishes, and what a replica does when it reads
// something other than its own.
#include "bus/replica.hpp"

#include <gtest/gtest.h>

#include "bus/event.hpp"
#include "bus/subjects.hpp"
#include "simulated_log.hpp"
#include "toy_state.hpp"

namespace paco::bus {
namespace {

// A stream, and replicas of it that are driven by hand.
class ReplicaTest : public ::testing::Test {
 protected:
  struct One {
    std::shared_ptr<Endpoint> endpoint;
    std::unique_ptr<SimulatedStreamLog> log;
    ToyState state;
    std::unique_ptr<Replica> replica;
    std::uint64_t groups = 0;
  };

  std::unique_ptr<One> make(const std::string& name, std::uint64_t digest_every = 100) {
    auto one = std::make_unique<One>();
    one->endpoint = std::make_shared<Endpoint>(scheduler_, name, rates_, counts_);
    one->log = std::make_unique<SimulatedStreamLog>(servers_, one->endpoint);
    StreamSettings settings;
    settings.name = "birds";
    settings.dimension = 1;
    settings.digest_every = digest_every;
    ReplicaOptions options;
    options.name = name;
    options.on_committed = [raw = one.get()](const Group&) { ++raw->groups; };
    one->replica = std::make_unique<Replica>(*one->log, settings, one->state, options);
    return one;
  }

  void publish(const std::string& key, double value) {
    const SampleEvent event{key, {}, {}, {}, {value}};
    servers_.events.append({subject_of("birds", Part::events), event_bytes(event, false)},
                           scheduler_.chance(), rates_, counts_);
  }

  // Steps for so long; the first error.
  Result<void> run(std::initializer_list<One*> replicas, int milliseconds) {
    const int end = scheduler_.milliseconds() + milliseconds;
    while (scheduler_.milliseconds() < end) {
      for (One* one : replicas) {
        const Result<void> done = one->replica->step({});
        if (!done.ok()) return done;
      }
      const int until = scheduler_.milliseconds() + 5;
      while (scheduler_.run_next(until)) {
      }
    }
    return {};
  }

  Scheduler scheduler_{1, false};
  const FaultRates rates_;
  FaultCounts counts_;
  SimulatedServers servers_{{scheduler_, Broken::nothing, 600'000},
                            {scheduler_, Broken::nothing, 600'000},
                            Broken::nothing,
                            rates_,
                            counts_};
};

TEST_F(ReplicaTest, OnePublishesAndTheOtherFollows) {
  const auto a = make("a"), b = make("b");
  ASSERT_TRUE(a->replica->start({}).ok());
  ASSERT_TRUE(b->replica->start({}).ok());
  for (int i = 0; i < 20; ++i) {
    publish("k" + std::to_string(i), i);
    ASSERT_TRUE(run({a.get(), b.get()}, 200).ok());
  }
  ASSERT_TRUE(run({a.get(), b.get()}, 2000).ok());
  EXPECT_EQ(a->replica->committed(), 20u);
  EXPECT_EQ(b->replica->committed(), 20u);
  EXPECT_NE(a->replica->publishing(), b->replica->publishing());
}

TEST_F(ReplicaTest, APausedPublisherStepsDownWhenItReadsItsSuccessor) {
  const auto a = make("a"), b = make("b");
  ASSERT_TRUE(a->replica->start({}).ok());
  ASSERT_TRUE(b->replica->start({}).ok());
  publish("first", 1);
  ASSERT_TRUE(run({a.get()}, 2000).ok());
  ASSERT_TRUE(a->replica->publishing());
  publish("second", 2);
  ASSERT_TRUE(run({b.get()}, 2000).ok());  // a stands still
  ASSERT_TRUE(b->replica->publishing());
  ASSERT_TRUE(run({a.get()}, 200).ok());
  EXPECT_EQ(a->replica->committed(), 2u);
  EXPECT_FALSE(a->replica->publishing());
}

TEST_F(ReplicaTest, ADecisionThatDiffersStopsTheReplica) {
  const auto a = make("a"), b = make("b");
  ASSERT_TRUE(a->replica->start({}).ok());
  ASSERT_TRUE(b->replica->start({}).ok());
  publish("first", 1);
  ASSERT_TRUE(run({a.get()}, 2000).ok());
  b->state.damage();
  publish("second", 2);
  ASSERT_TRUE(run({a.get()}, 2000).ok());
  const Result<void> stopped = run({b.get()}, 2000);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::mismatch);
  EXPECT_NE(stopped.error().message.find("stream 'birds', event 1: a published 'sample 0 'first'"),
            std::string::npos)
      << stopped.error().message;
}

TEST_F(ReplicaTest, AStateThatDiffersStopsTheReplicaAtTheNextDigest) {
  const auto a = make("a", 2), b = make("b", 2);
  ASSERT_TRUE(a->replica->start({}).ok());
  ASSERT_TRUE(b->replica->start({}).ok());
  publish("first", 1);
  ASSERT_TRUE(run({a.get()}, 2000).ok());
  ASSERT_TRUE(run({b.get()}, 2000).ok());
  publish("first", 1);
  b->state.damage();  // a repeated key has the decision that it had
  ASSERT_TRUE(run({a.get()}, 2000).ok());
  const Result<void> stopped = run({b.get()}, 2000);
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().message.find("event 2: a published 'a state of digest"),
            std::string::npos)
      << stopped.error().message;
}

TEST_F(ReplicaTest, EventsThatDifferStopTheReplicaAtTheNextGroup) {
  const auto a = make("a"), b = make("b");
  ASSERT_TRUE(a->replica->start({}).ok());
  ASSERT_TRUE(b->replica->start({}).ok());
  publish("k", 1);
  ASSERT_TRUE(run({a.get()}, 2000).ok());
  // A repeated key with other numbers: the record is the same, the event is not.
  publish("k", 2);
  ASSERT_TRUE(run({a.get()}, 2000).ok());
  servers_.events.lose_last();
  publish("k", 3);
  const Result<void> stopped = run({b.get()}, 2000);
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().message.find("event 2: a published 'events of chain"),
            std::string::npos)
      << stopped.error().message;
}

TEST_F(ReplicaTest, AReplicaWithoutJournalStartsAtTheFirstEventAndComparesAll) {
  const auto a = make("a"), late = make("late");
  ASSERT_TRUE(a->replica->start({}).ok());
  for (int i = 0; i < 10; ++i) {
    publish("k" + std::to_string(i), i);
    ASSERT_TRUE(run({a.get()}, 400).ok());
  }
  ASSERT_GT(a->groups, 1u);
  ASSERT_TRUE(late->replica->start({}).ok());
  ASSERT_TRUE(run({late.get()}, 3000).ok());
  EXPECT_EQ(late->groups, a->groups);
  EXPECT_EQ(late->replica->committed(), 10u);
  EXPECT_EQ(*late->state.digest(), *a->state.digest());
}

}  // namespace
}  // namespace paco::bus
