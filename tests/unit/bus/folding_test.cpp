// Events that are folded again, after a kill, into a journal that has them and later ones: the
// records are those of the first time.
#include "bus/folding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bus/ordered_reader.hpp"
#include "session/operations/operation_json.hpp"
#include "toy_state.hpp"

namespace paco::bus {
namespace {

LoggedEvent sample(const std::string& key, double value) {
  return {Event(SampleEvent{key, {}, {}, {}, {value}})};
}

OperationEvent rename_to(const std::string& name) {
  Operation operation;
  operation.category = 0;
  operation.name = name;
  return {session::operation_json(operation).dump()};
}

// The records of `events` when they are folded from the start, into a state that may have them.
std::vector<Record> fold(ToyState& state, const std::vector<LoggedEvent>& events) {
  Folding folding(state, 1);
  EXPECT_TRUE(folding.start({}).ok());
  std::vector<Record> out;
  for (std::size_t at = 0; at < events.size();) {
    if (std::holds_alternative<OperationEvent>(*events[at].event)) {
      out.push_back(folding.operation(events[at])->record);
    } else {
      auto folded = folding.samples(std::span(events).subspan(at));
      EXPECT_TRUE(folded.ok());
      for (auto& one : *folded) out.push_back(std::move(one.record));
    }
    at = out.size();
  }
  return out;
}

void expect_the_same_again(const std::vector<LoggedEvent>& events) {
  ToyState state;
  const std::vector<Record> first = fold(state, events);
  const std::string digest = *state.digest();
  const std::vector<Record> again = fold(state, events);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    EXPECT_TRUE(first[i].same_as(again[i], 0))
        << "event " << i + 1 << " was '" << first[i].describe() << "' and is '"
        << again[i].describe() << "'";
  EXPECT_EQ(digest, *state.digest());
}

TEST(FoldingAgain, ARefusedSampleStaysRefusedIfItsKeyIsDecidedLater) {
  expect_the_same_again({sample("k", std::nan("")), sample("k", 1), sample("l", 2)});
  expect_the_same_again({sample("k", std::nan("")), sample("l", 2), sample("k", 1)});
}

TEST(FoldingAgain, ARepeatedKeyKeepsTheNameThatItsCategoryHad) {
  expect_the_same_again({sample("k", 1),
                         sample("k", 5),
                         {Event(rename_to("heron"))},
                         sample("k", 7),
                         sample("l", 1)});
}

TEST(FoldingAgain, AnOperationIsNotCarriedOutTwice) {
  expect_the_same_again({sample("k", 1),
                         {Event(rename_to("heron"))},
                         {Event(rename_to("stork"))},
                         {Event(OperationEvent{"no JSON"})},
                         sample("l", 1)});
}

TEST(FoldingAgain, StopsWhereTheLogLostEventsThatTheJournalHas) {
  ToyState state;
  fold(state, {sample("k", 1), sample("l", 5), sample("m", 9)});
  Folding folding(state, 1);
  ASSERT_TRUE(folding.start({}).ok());
  for (const char* next : {"m", "new"}) {
    const std::vector<LoggedEvent> events = {sample(next, 9)};
    const auto folded = folding.samples(events);
    ASSERT_FALSE(folded.ok()) << next;
    EXPECT_EQ(folded.error().code, ErrorCode::mismatch);
  }
}

TEST(ChainOfEvents, DependsOnEveryEventAndTheirOrder) {
  const auto chain = [](std::initializer_list<const char*> events) {
    std::uint64_t sum = 0;
    for (const char* bytes : events) sum = chain_event(sum, message_sum(bytes));
    return sum;
  };
  EXPECT_EQ(chain({"a", "b", "c"}), chain({"a", "b", "c"}));
  EXPECT_NE(chain({"a", "b", "c"}), chain({"b", "a", "c"}));
  EXPECT_NE(chain({"a", "b", "c"}), chain({"a", "b"}));
  EXPECT_NE(chain({"ab", "c"}), chain({"a", "bc"}));
  EXPECT_NE(chain({""}), chain({}));
}

}  // namespace
}  // namespace paco::bus
