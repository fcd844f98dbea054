// The laws of the bus under 10,000 schedules of faults, and proof that each law can fail.
//
// PACO_BUS_SEEDS: how many seeds. PACO_BUS_SEED: this one alone.
#include "simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace paco::bus {
namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string explain(SimulationOptions options) {
  options.tracing = true;
  const SimulationOutcome again = simulate(options);
  return fmt::format("seed {}: {}\n{}", options.seed, again.violation.value_or("holds"),
                     again.trace);
}

// The laws hold for all seeds; returns how many schedules had each fault.
FaultCounts check_seeds(std::uint64_t seeds) {
  FaultCounts schedules;
  std::uint64_t events = 0, groups = 0, repeated = 0;
  const std::uint64_t only = number_from("PACO_BUS_SEED", 0);
  for (std::uint64_t seed = only > 0 ? only : 1; seed <= (only > 0 ? only : seeds); ++seed) {
    SimulationOptions options;
    options.seed = seed;
    const SimulationOutcome outcome = simulate(options);
    if (outcome.violation) {
      ADD_FAILURE() << explain(options);
      return schedules;
    }
    for (const auto& [fault, count] : outcome.faults) schedules[fault] += count > 0;
    events += outcome.events;
    groups += outcome.groups;
    repeated += outcome.repeated;
  }
  fmt::print("{} events in {} groups, {} of them with a key that was decided before\n", events,
             groups, repeated);
  for (const auto& [fault, count] : schedules) fmt::print("{:6} schedules with {}\n", count, fault);
  return schedules;
}

TEST(BusLaws, HoldUnderFaults) {
  const std::uint64_t seeds = number_from("PACO_BUS_SEEDS", 500);
  const FaultCounts schedules = check_seeds(seeds);
  if (HasFailure() || seeds < 500) return;
  for (const char* fault : {"pauses", "pauses within a call", "partitions", "kills",
                            "kills that lose what was not durable", "kills of publishers",
                            "changes of leader", "servers away", "lost requests", "lost answers",
                            "late requests", "requests without a leader", "lost deliveries",
                            "doubled deliveries", "deliveries out of order", "broken subscriptions",
                            "stale answers", "ids known without their message"}) {
    const auto found = schedules.find(fault);
    EXPECT_GE(found == schedules.end() ? 0u : static_cast<std::uint64_t>(found->second), seeds / 50)
        << fault;
  }
}

TEST(BusLaws, TheSameSeedIsTheSameRun) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulationOptions options{seed, Broken::nothing, true};
    const SimulationOutcome first = simulate(options);
    EXPECT_GT(first.trace.size(), 100u);
    EXPECT_EQ(first.trace, simulate(options).trace) << "seed " << seed;
  }
}

// A protocol that is wrong on purpose: some seed finds it, and says which law it breaks.
struct WrongProtocol {
  const char* name;
  Broken broken;
  const char* law;
  friend void PrintTo(const WrongProtocol& p, std::ostream* out) { *out << p.name; }
};

class WrongProtocols : public ::testing::TestWithParam<WrongProtocol> {};

TEST_P(WrongProtocols, BreakALaw) {
  std::uint64_t found = 0, by_law = 0;
  std::string example;
  constexpr std::uint64_t kSeeds = 200;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SimulationOutcome outcome = simulate({seed, GetParam().broken, false});
    if (!outcome.violation) continue;
    if (found++ == 0) example = fmt::format("seed {}: {}", seed, *outcome.violation);
    by_law += outcome.violation->starts_with(GetParam().law);
  }
  fmt::print("{} of {} schedules, {} of them '{}'; {}\n", found, kSeeds, by_law, GetParam().law,
             example);
  EXPECT_GT(by_law, 0u) << found << " other violations, " << example;
}

// Another event in the place of one that was decided is never passed over in silence.
TEST(BusLaws, AReplicaNoticesThatADecidedEventIsAnotherOneNow) {
  std::uint64_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const SimulationOutcome outcome = simulate({seed, Broken::server_that_loses_messages, false});
    if (!outcome.violation) continue;
    noticed += outcome.violation->starts_with("replicas agree");
    EXPECT_FALSE(outcome.violation->starts_with("every sample once: event"))
        << explain({seed, Broken::server_that_loses_messages, false});
  }
  EXPECT_GT(noticed, 20u);
}

INSTANTIATE_TEST_SUITE_P(
    Bus, WrongProtocols,
    ::testing::Values(
        WrongProtocol{"AppendWithoutExpectedLast", Broken::append_without_expected_last,
                      "replicas agree"},
        WrongProtocol{"PublisherThatDoesNotStepDown", Broken::publisher_that_does_not_step_down,
                      "replicas agree"},
        WrongProtocol{"AnswerBeforeStored", Broken::answer_before_stored, "every sample once"},
        WrongProtocol{"ReaderWithoutOrder", Broken::reader_without_order, "replicas agree"},
        WrongProtocol{"ReplicaWithoutKeys", Broken::replica_without_keys, "every sample once"},
        WrongProtocol{"ReplicaWithoutHistory", Broken::replica_without_history, "replicas agree"},
        WrongProtocol{"SampleWithMessageId", Broken::sample_with_message_id, "replicas agree"},
        WrongProtocol{"AnswerFromJournal", Broken::answer_from_journal,
                      "a paused publisher cannot contradict"},
        WrongProtocol{"ServerThatLosesMessages", Broken::server_that_loses_messages,
                      "replicas agree"},
        WrongProtocol{"ReaderThatDoesNotProve", Broken::reader_that_does_not_prove,
                      "every sample once: event"},
        WrongProtocol{"OperationNotAlone", Broken::operation_not_alone, "every sample once"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace paco::bus
