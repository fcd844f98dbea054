// The one thread of a stream: what waits is decided in order, answered once, refused as a request,
// and bounded. Also the lists of samples, which need no thread.
#include "server/stream_worker.hpp"

#include <gmock/gmock.h>

#include <future>

#include "server/sample_list.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::server {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Outcome = std::variant<SampleAnswer, BadSample>;

struct Watched final : StreamWorker::Observer {
  void decided(const Decision& decision) override { sequences.push_back(decision.sequence); }
  void operated(const OperationOutcome& outcome) override { operations.push_back(outcome.event); }
  void committed() override { ++commits; }
  std::vector<std::uint64_t> sequences, operations;
  int commits = 0;
};

class Workers : public ::testing::Test {
 protected:
  Workers() {
    auto session = Session::create(
        folder_ / "s.journal", testing::calibrated(data_.support_set(), {}, false), "paco", {}, {});
    EXPECT_TRUE(session.ok()) << session.error().message;
    worker_ = std::make_unique<StreamWorker>(std::move(session).value(), watched_);
  }

  std::shared_ptr<Samples> row(std::size_t i, std::string key = {}) const {
    auto samples = std::make_shared<Samples>();
    samples->rows = 1;
    samples->dimension = data_.stream.columns();
    samples->embeddings.assign(data_.stream[i].begin(), data_.stream[i].end());
    if (!key.empty()) samples->keys = {std::move(key)};
    return samples;
  }

  std::future<Outcome> send(std::shared_ptr<const Samples> samples) {
    auto promise = std::make_shared<std::promise<Outcome>>();
    auto future = promise->get_future();
    const auto done = [promise](Outcome outcome) { promise->set_value(std::move(outcome)); };
    EXPECT_TRUE(worker_->submit({std::move(samples), done}));
    return future;
  }

  // Holds the thread, so that what is sent meanwhile waits; until the promise is kept.
  std::thread hold(std::promise<void>& go_on) {
    auto held = std::make_shared<std::promise<void>>();
    std::thread thread([this, held, until = go_on.get_future().share()] {
      worker_->ask([&](Session&) {
        held->set_value();
        until.wait();
      });
    });
    held->get_future().wait();
    return thread;
  }

  const testing::TemporaryFolder folder_;
  const testing::SyntheticData data_ = testing::make_data({.stream = 60}, 3);
  Watched watched_;
  std::unique_ptr<StreamWorker> worker_;
};

TEST_F(Workers, AnOperationWhoseKeyCameBeforeIsAnsweredWithWhatItDidThen) {
  Operation rename;
  rename.category = 0;
  rename.name = "heron";
  rename.key = "a";
  const auto first = worker_->apply(rename);
  ASSERT_TRUE(first.ok()) << first.error().message;
  rename.actor = "somebody else";
  const auto again = worker_->apply(rename);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->event, first->event);
  rename.name = "egret";
  const auto other = worker_->apply(rename);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("event 0"));
  EXPECT_THAT(watched_.operations, ElementsAre(0u));
}

TEST_F(Workers, TheKeyOfAnOperationIsKnownAfterTheJournalIsOpenedAgain) {
  Operation rename;
  rename.category = 0;
  rename.name = "heron";
  rename.key = "a";
  ASSERT_TRUE(worker_->apply(rename).ok());
  worker_.reset();
  auto session = Session::open(folder_ / "s.journal");
  ASSERT_TRUE(session.ok()) << session.error().message;
  worker_ = std::make_unique<StreamWorker>(std::move(session).value(), watched_);
  const auto again = worker_->apply(rename);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->event, 0u);
  EXPECT_EQ(worker_->published()->events, 1u);
}

TEST_F(Workers, WhatWaitsIsOneGroupInTheOrderItCame) {
  std::promise<void> go_on;
  std::thread holder = hold(go_on);
  std::vector<std::future<Outcome>> answers;
  for (std::size_t i = 0; i < 40; ++i) answers.push_back(send(row(i)));
  EXPECT_EQ(worker_->waiting(), 40u);
  go_on.set_value();
  holder.join();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Outcome outcome = answers[i].get();
    const auto* answer = std::get_if<SampleAnswer>(&outcome);
    ASSERT_NE(answer, nullptr);
    ASSERT_EQ(answer->decisions.size(), 1u);
    EXPECT_EQ(answer->decisions[0].sequence, i);
    EXPECT_THAT(answer->events, ElementsAre(i));
    EXPECT_EQ(answer->after->events, 40u);
  }
  worker_.reset();
  EXPECT_EQ(watched_.commits, 1);
  EXPECT_EQ(watched_.sequences.size(), 40u);
}

TEST_F(Workers, ARepeatedKeyIsAnsweredAndAnotherContentRefusedAlone) {
  (void)send(row(0, "a")).get();
  std::promise<void> go_on;
  std::thread holder = hold(go_on);
  auto fresh = send(row(1, "b")), repeated = send(row(0, "a")), other = send(row(2, "a")),
       last = send(row(3, "c"));
  go_on.set_value();
  holder.join();
  EXPECT_EQ(std::get<SampleAnswer>(fresh.get()).decisions[0].sequence, 1u);
  const SampleAnswer known = std::get<SampleAnswer>(repeated.get());
  EXPECT_EQ(known.decisions[0].sequence, 0u);
  EXPECT_THAT(known.repeated, Each(1));
  const BadSample bad = std::get<BadSample>(other.get());
  EXPECT_EQ(bad.row, 0u);
  EXPECT_EQ(bad.error.code, ErrorCode::mismatch);
  EXPECT_EQ(std::get<SampleAnswer>(last.get()).decisions[0].sequence, 2u);
  worker_.reset();
  EXPECT_THAT(watched_.sequences, ElementsAre(0, 1, 2));
}

TEST_F(Workers, OperationsRunBetweenGroups) {
  (void)send(row(0)).get();
  Operation rename;
  rename.kind = OperationKind::rename;
  rename.category = 0;
  rename.name = "wren";
  const auto outcome = worker_->apply(rename);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  const SampleAnswer answer = std::get<SampleAnswer>(send(row(1)).get());
  EXPECT_THAT(answer.events, ElementsAre(2));
  EXPECT_EQ(worker_->published()->view->categories.name(0), "wren");
  worker_.reset();
  EXPECT_THAT(watched_.operations, ElementsAre(1));
}

TEST_F(Workers, BeyondTheBoundSendersAreAskedToComeAgain) {
  std::promise<void> go_on;
  std::thread holder = hold(go_on);
  auto large = std::make_shared<Samples>();
  large->rows = 262'144;  // their numbers do not matter: they are never decided
  large->dimension = data_.stream.columns();
  const auto ignore = [](Outcome) {};
  ASSERT_TRUE(worker_->submit({row(0), ignore}));
  EXPECT_FALSE(worker_->submit({large, ignore}));
  EXPECT_TRUE(worker_->submit({row(1), ignore}));
  go_on.set_value();
  holder.join();
}

TEST_F(Workers, WhatWaitsAtTheEndIsStillDecided) {
  std::promise<void> go_on;
  std::thread holder = hold(go_on);
  std::vector<std::future<Outcome>> answers;
  for (std::size_t i = 0; i < 5; ++i) answers.push_back(send(row(i)));
  go_on.set_value();
  holder.join();
  worker_.reset();
  for (auto& answer : answers) EXPECT_TRUE(std::holds_alternative<SampleAnswer>(answer.get()));
}

TEST(SamplePages, GoThroughAListFromEitherEnd) {
  const std::vector<std::uint64_t> fitting = {2, 3, 5, 7, 11};
  for (const bool newest : {false, true}) {
    std::vector<std::uint64_t> seen;
    std::optional<std::uint64_t> from;
    do {
      const SamplePage page = page_by_sequence(fitting, from, 2, newest);
      EXPECT_EQ(page.total, 5u);
      seen.insert(seen.end(), page.sequences.begin(), page.sequences.end());
      from = page.next;
    } while (from);
    if (newest) std::reverse(seen.begin(), seen.end());
    EXPECT_EQ(seen, fitting);
  }
  EXPECT_THAT(page_by_sequence(fitting, 4, 2, false).sequences, ElementsAre(5, 7));
  EXPECT_THAT(page_by_sequence(fitting, 4, 2, true).sequences, ElementsAre(3, 2));
  EXPECT_TRUE(page_by_sequence({}, 4, 2, true).sequences.empty());
}

}  // namespace
}  // namespace paco::server
