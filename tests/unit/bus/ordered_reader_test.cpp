// A reader of a log: what it does when the log is not the one that it read before.
#include "bus/ordered_reader.hpp"

#include <gmock/gmock.h>

namespace paco::bus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A log that a test may change behind the reader's back.
struct Log {
  std::uint64_t first = 1;
  std::vector<std::string> messages;
  std::uint64_t changes = 0;  // of servers
  Time now{};
};

class LogSubscription final : public Subscription {
 public:
  explicit LogSubscription(Log& log) : log_(log) {}
  Result<void> begin(std::uint64_t first, const std::stop_token&) override {
    next_ = std::max(first, log_.first);
    changes_ = log_.changes;
    return {};
  }
  Delivery next(LogMessage& out, int) override {
    if (next_ >= log_.first + log_.messages.size()) return Delivery::nothing;
    out = {next_, log_.messages[next_ - log_.first], {}};
    ++next_;
    return Delivery::message;
  }
  bool ready() const override { return next_ < log_.first + log_.messages.size(); }
  bool lost() const override { return changes_ != log_.changes; }
  Result<Range> range(const std::stop_token&) override {
    return Range{log_.first, log_.first + log_.messages.size() - 1};
  }

 private:
  Log& log_;
  std::uint64_t next_ = 1, changes_ = 0;
};

class OrderedReaderOfALog : public ::testing::Test {
 protected:
  // What the reader has to give now; the message of its error if it has none.
  std::vector<std::string> read() {
    std::vector<std::string> out;
    for (int i = 0; i < 100; ++i) {
      std::vector<LogMessage> messages;
      const Result<void> taken = reader_.take(messages, 10, 1, {});
      for (const LogMessage& message : messages) out.emplace_back(message.bytes);
      if (!taken.ok()) {
        out.push_back(taken.error().message);
        return out;
      }
      log_.now += std::chrono::milliseconds(600);
    }
    return out;
  }
  Log log_{1, {"a", "b", "c"}, 0, {}};
  OrderedReader reader_{std::make_unique<LogSubscription>(log_), "log", 1,
                        [this] { return log_.now; }};
};

TEST_F(OrderedReaderOfALog, GoesOnWithAnotherServerThatHasTheSameMessages) {
  EXPECT_THAT(read(), ElementsAre("a", "b", "c"));
  ++log_.changes;
  log_.messages.emplace_back("d");
  EXPECT_THAT(read(), ElementsAre("d"));
}

TEST_F(OrderedReaderOfALog, DoesNotReadOnWhereOtherMessagesHaveTheSameNumbers) {
  EXPECT_THAT(read(), ElementsAre("a", "b", "c"));
  ++log_.changes;
  log_.messages = {"a", "x", "y", "z"};
  EXPECT_THAT(read(), ElementsAre(HasSubstr("message 3 is another one than was read")));
}

TEST_F(OrderedReaderOfALog, MissesMessagesThatALogLost) {
  EXPECT_THAT(read(), ElementsAre("a", "b", "c"));
  ++log_.changes;
  log_.messages = {"a"};
  EXPECT_THAT(read(), ElementsAre(HasSubstr("it ends with message 1, and 3 was read from it")));
}

TEST_F(OrderedReaderOfALog, WaitsForAServerThatIsBehindForAWhile) {
  EXPECT_THAT(read(), ElementsAre("a", "b", "c"));
  ++log_.changes;
  log_.messages = {"a"};
  std::vector<LogMessage> none;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(reader_.take(none, 10, 1, {}).ok());
    log_.now += std::chrono::milliseconds(1100);
  }
  log_.messages = {"a", "b", "c", "d"};
  EXPECT_THAT(read(), ElementsAre("d"));
}

TEST_F(OrderedReaderOfALog, GoesOnIfTheLastMessageThatItReadIsNoLongerKept) {
  EXPECT_THAT(read(), ElementsAre("a", "b", "c"));
  ++log_.changes;
  log_.first = 4;
  log_.messages = {"d", "e"};
  EXPECT_THAT(read(), ElementsAre("d", "e"));
}

}  // namespace
}  // namespace paco::bus
