// Which committed record answers those that wait for a key.
#include "bus/committed_answers.hpp"

#include <gmock/gmock.h>

namespace paco::bus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Record record_of(const std::string& key, RecordKind kind, std::uint64_t sequence = 0) {
  Record record;
  record.kind = kind;
  record.key = key;
  record.sequence = sequence;
  return record;
}

// What the waiters get: "waiter: sequence", with a star if the key was decided before.
std::vector<std::string> commit(CommittedAnswers<std::string>& answers, std::uint64_t first,
                                std::vector<Record> records) {
  Group group;
  group.first = first;
  group.records = std::move(records);
  std::vector<std::string> out;
  answers.commit(group, [&](const std::string& waiter, const Record& record, bool repeated) {
    out.push_back(waiter + ": " + std::to_string(record.sequence) + (repeated ? "*" : ""));
  });
  return out;
}

TEST(CommittedAnswers, EveryWaiterOfAKeyGetsItsDecisionOnce) {
  CommittedAnswers<std::string> answers;
  answers.wait_for("k", "a");
  answers.wait_for("k", "b");
  answers.wait_for("l", "c");
  EXPECT_THAT(commit(answers, 1, {record_of("k", RecordKind::decided, 0)}),
              ElementsAre("a: 0", "b: 0"));
  EXPECT_THAT(commit(answers, 2, {record_of("k", RecordKind::decided, 0)}), IsEmpty());
}

TEST(CommittedAnswers, ABadSampleOfAnotherPublisherWithTheSameKeyAnswersNobody) {
  CommittedAnswers<std::string> answers;
  answers.wait_for("k", "a");
  EXPECT_THAT(commit(answers, 1, {record_of("k", RecordKind::refused)}), IsEmpty());
  EXPECT_THAT(commit(answers, 2, {record_of("k", RecordKind::decided, 0)}), ElementsAre("a: 0"));
}

TEST(CommittedAnswers, AKeyThatWasDecidedBeforeIsCalledRepeated) {
  CommittedAnswers<std::string> answers;
  answers.start(7, 5);
  answers.wait_for("k", "a");
  EXPECT_THAT(commit(answers, 8, {record_of("k", RecordKind::decided, 4)}), ElementsAre("a: 4*"));
}

}  // namespace
}  // namespace paco::bus
