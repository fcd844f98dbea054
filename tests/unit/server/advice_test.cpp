// What is made in the background of a stream, and what is kept of its last hour.
#include "server/advice.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

#include "server/gzip.hpp"
#include "server/recent_hour.hpp"

namespace paco::server {
namespace {

using ::testing::ElementsAre;

// Advice that is made of as many events as there are when it is begun.
class Advised : public ::testing::Test {
 protected:
  Advice::Found make() {
    ++made_;
    auto out = std::make_shared<Advice::Made>();
    out->insight.events = events_;
    return out;
  }
  std::uint64_t ask(std::uint64_t events) {
    std::promise<std::uint64_t> found;
    advice_->ask(events, [&](const Advice::Found& one) { found.set_value(one->insight.events); });
    return found.get_future().get();
  }
  std::atomic<std::uint64_t> events_{0};
  std::atomic<int> made_{0};
  std::unique_ptr<Advice> advice_ = std::make_unique<Advice>([this] { return make(); });
};

TEST_F(Advised, TheLastAnswerIsGivenUntilOneMustKnowMore) {
  events_ = 5;
  EXPECT_EQ(ask(0), 5u);
  events_ = 9;
  EXPECT_EQ(ask(5), 5u);
  EXPECT_EQ(made_, 1);
  EXPECT_EQ(ask(6), 9u);
  EXPECT_EQ(made_, 2);
}

TEST_F(Advised, ThoseWhoWaitWhenItEndsGetNothing) {
  bool is_null = false;
  advice_->ask(7, [&](const Advice::Found& found) { is_null = found == nullptr; });
  advice_.reset();
  EXPECT_TRUE(is_null);
}

std::vector<std::uint64_t> counts(const RecentHour& hour, std::int64_t now) {
  std::vector<std::uint64_t> out;
  for (const RecentHour::Step& step : hour.steps(now)) out.push_back(step.samples);
  return out;
}

constexpr std::int64_t kNow = 1'000'000;  // the beginning of a step

TEST(TheRecentHour, BeginsWithItsFirstStepAndForgetsWhatIsOlder) {
  RecentHour hour;
  EXPECT_TRUE(hour.steps(kNow).empty());
  hour.add_samples(kNow, 3, 1);
  hour.add_samples(kNow + 4, 2, 0);
  hour.add_samples(kNow + 10, 7, 0);
  EXPECT_THAT(counts(hour, kNow + 16), ElementsAre(5, 0, 7, 0));
  EXPECT_EQ(hour.steps(kNow + 16)[0].births, 1u);
  EXPECT_THAT(counts(hour, kNow + 5 + 3599), ::testing::SizeIs(RecentHour::kSteps - 1));
  EXPECT_TRUE(hour.steps(kNow + 10 + 3600).empty());
}

TEST(TheRecentHour, QuantilesOfDelaysAreGoodToATenth) {
  RecentHour hour;
  for (int i = 0; i < 1000; ++i) hour.add_answer(kNow, i < 985 ? 0.002 : 0.5);
  const RecentHour::Step step = hour.steps(kNow).back();
  EXPECT_NEAR(step.p50_ms, 2, 0.2);
  EXPECT_NEAR(step.p99_ms, 500, 50);
}

TEST(Compressed, EveryPieceCanBeReadWhenItIsSent) {
  for (const bool small : {false, true}) {
    GzipStream stream(small);
    ASSERT_TRUE(stream.ready());
    std::string whole = stream.add("event: sample\n\n", false);
    EXPECT_FALSE(whole.empty());
    EXPECT_EQ(stream.add("", false), "");
    whole += stream.add(std::string(200'000, 'x'), false);
    whole += stream.add("", true);
    std::string plain;
    EXPECT_EQ(gunzip(whole, 1'000'000, plain), Gunzip::done);
    EXPECT_TRUE(plain == "event: sample\n\n" + std::string(200'000, 'x'));
  }
}

}  // namespace
}  // namespace paco::server
