// A session from the outside: keys, operations and what they answer, errors that change nothing.
#include "paco/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::session {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

struct Stream {
  testing::SyntheticData data = testing::make_data({}, 8);
  std::shared_ptr<const Model> model = testing::calibrated(data.support_set());
  TemporaryFolder folder;
  std::string path = folder / "s.journal";
  std::vector<Decision> decisions = std::vector<Decision>(data.stream.rows());

  Session made(const std::string& method = "paco") {
    auto session = Session::create(path, model, method, {}, {});
    EXPECT_TRUE(session.ok()) << (session.ok() ? "" : session.error().message);
    return std::move(session).value();
  }
  Session decided() {
    Session session = made();
    EXPECT_TRUE(session.decide(data.stream, decisions).ok());
    return session;
  }
  // A discovered category with several members, and one of its samples.
  CategoryId large(const Session& session) const {
    CategoryId best = kNoId;
    for (CategoryId id = first(); id < session.method().categories().next(); ++id) {
      if (best == kNoId ||
          session.method().categories()[id].answered > session.method().categories()[best].answered)
        best = id;
    }
    return best;
  }
  CategoryId first() const { return static_cast<CategoryId>(model->known_classes()); }
  std::vector<std::uint64_t> samples_of(CategoryId id) const {
    std::vector<std::uint64_t> out;
    for (const Decision& d : decisions)
      if (d.category == id) out.push_back(d.sequence);
    return out;
  }
};

Operation op(OperationKind kind, CategoryId category, const std::string& name = "") {
  Operation o;
  o.kind = kind;
  o.category = category;
  o.name = name;
  return o;
}

std::string refused(Session& session, const Operation& operation) {
  const std::string before = session.digest().value();
  const auto done = session.apply(operation);
  EXPECT_FALSE(done.ok()) << (done.ok() ? done->text : "");
  EXPECT_EQ(session.digest().value(), before);
  return done.ok() ? "" : done.error().message;
}

TEST(Session, AKeyThatComesAgainIsAnsweredAsItWas) {
  Stream s;
  Session session = s.made();
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 20; ++i) keys.push_back("k" + std::to_string(i % 15));
  std::vector<Decision> decisions(20);
  const auto first = session.decide(s.data.stream.view().slice(0, 20), decisions, {keys, {}});
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first->repeated, 5u);
  EXPECT_EQ(session.samples(), 15u);
  for (std::size_t i = 15; i < 20; ++i)
    EXPECT_TRUE(testing::same_decision(decisions[i], decisions[i - 15]));
  const std::string digest = session.digest().value();
  ASSERT_TRUE(session.close().ok());
  auto again = Session::open(s.path);
  ASSERT_TRUE(again.ok()) << again.error().message;
  std::vector<Decision> repeated(20);
  const auto second = again->decide(s.data.stream.view().slice(0, 20), repeated, {keys, {}});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->repeated, 20u);
  EXPECT_EQ(again->digest().value(), digest);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(repeated[i].sequence, decisions[i].sequence);
}

TEST(Session, ANameThatAnotherHasMeanwhileDoesNotComeBack) {
  Stream s;
  Session session = s.decided();
  const CategoryId other = s.large(session);
  ASSERT_TRUE(session.apply(op(OperationKind::rename, other, "heron")).ok());
  Operation merge = op(OperationKind::merge, 0);
  merge.categories = {other};
  const auto merged = session.apply(merge);
  ASSERT_TRUE(merged.ok());
  ASSERT_TRUE(session.apply(op(OperationKind::rename, 1, "heron")).ok());
  Operation undo = op(OperationKind::undo, 0);
  undo.event = merged->event;
  EXPECT_THAT(refused(session, undo), HasSubstr("category 1 is called 'heron' meanwhile"));
  ASSERT_TRUE(session.apply(op(OperationKind::rename, 1, "crane")).ok());
  EXPECT_TRUE(session.apply(undo).ok());
  EXPECT_EQ(session.method().categories().find("heron"), other);
}

TEST(Session, AMergedCategoryForwardsAndItsPrototypesGoOnAnswering) {
  Stream s;
  Session session = s.decided();
  const CategoryId other = s.large(session), into = 0;
  Operation merge = op(OperationKind::merge, into);
  merge.categories = {other};
  ASSERT_TRUE(session.apply(merge).ok());
  EXPECT_EQ(session.method().categories().now(other), into);
  // The samples that it held are answered with the known class now.
  const std::uint64_t sample = s.samples_of(other).back();
  std::vector<Decision> again(1);
  ASSERT_TRUE(session.decide(s.data.stream.view().slice(sample, 1), again).ok());
  EXPECT_EQ(again[0].category, into);
  EXPECT_EQ(again[0].verdict, Verdict::known);
  EXPECT_EQ(again[0].prototype, s.decisions[sample].prototype);
}

TEST(Session, AMoveCarriesSamplesOverAndAPrototypeWithoutMembersStandsAside) {
  Stream s;
  Session session = s.decided();
  const CategoryId from = s.large(session);
  Operation move = op(OperationKind::move, -1, "my own");
  move.samples = s.samples_of(from);
  const auto view_before = session.view();
  const std::string before = session.digest().value();
  const auto moved = session.apply(move);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  const auto view = session.view();
  const CategoryInfo made = view->info(moved->category);
  EXPECT_EQ(made.name, "my own");
  EXPECT_EQ(made.size, static_cast<std::int64_t>(move.samples.size()));
  EXPECT_EQ(view->info(from).size, 0);
  EXPECT_FALSE(
      view->prototypes[static_cast<std::size_t>(session.method().categories()[from].prototypes[0])]
          .competing);
  // All members of one category, in stream order: the same sum.
  EXPECT_EQ(made.resultant_length, view_before->info(from).resultant_length);
  ASSERT_TRUE(session.undo(moved->event).ok());
  EXPECT_EQ(session.digest().value(), before);
}

TEST(Session, APromotedCategoryIsAKnownClassThatOnlyCounts) {
  Stream s;
  Session session = s.decided();
  const CategoryId id = s.large(session);
  const PrototypeId p = session.method().categories()[id].prototypes[0];
  const double length = session.method().prototype(p).resultant_length;
  const auto done = session.apply(op(OperationKind::promote, id, "new class"));
  ASSERT_TRUE(done.ok()) << done.error().message;
  std::vector<Decision> again(1);
  const std::uint64_t sample = s.samples_of(id).back();
  ASSERT_TRUE(session.decide(s.data.stream.view().slice(sample, 1), again).ok());
  EXPECT_EQ(again[0].category, id);
  EXPECT_EQ(again[0].verdict, Verdict::known);
  EXPECT_TRUE(again[0].counted);
  EXPECT_EQ(session.method().prototype(p).resultant_length, length) << "its direction is fixed";
  ASSERT_TRUE(session.apply(op(OperationKind::demote, id)).ok());
  EXPECT_EQ(session.method().prototype(p).counted, 1);
  EXPECT_THAT(refused(session, op(OperationKind::demote, id)), HasSubstr("was not promoted"));
  EXPECT_THAT(refused(session, op(OperationKind::promote, 0)), HasSubstr("known class already"));
}

TEST(Session, VerifiedSamplesAreCountedFollowMergesAndLoseTheirMarkWhenTheyAreMoved) {
  Stream s;
  Session session = s.decided();
  const CategoryId from = s.large(session);
  const std::vector<std::uint64_t> samples = s.samples_of(from);
  ASSERT_GE(samples.size(), 4u);
  Operation verify = op(OperationKind::verify, kNoId);
  verify.samples = {samples[2], samples[0], samples[2]};
  const std::string digest = session.digest().value();
  const auto done = session.apply(verify);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(done->text, "verified 2 samples");
  EXPECT_EQ(session.digest().value(), digest) << "no decision depends on it";
  EXPECT_EQ(session.view()->info(from).verified, 2u);
  EXPECT_TRUE(session.view()->is_verified(samples[0]));
  EXPECT_FALSE(session.view()->is_verified(samples[1]));
  EXPECT_THAT(refused(session, verify), HasSubstr("verified already"));

  Operation merge = op(OperationKind::merge, 0);
  merge.categories = {from};
  ASSERT_TRUE(session.apply(merge).ok());
  EXPECT_EQ(session.view()->info(0).verified, 2u);

  Operation move = op(OperationKind::move, kNoId);
  move.samples = {samples[0], samples[1]};
  const auto moved = session.apply(move);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  EXPECT_FALSE(session.view()->is_verified(samples[0]));
  EXPECT_EQ(session.view()->info(0).verified, 1u);
  Operation undo = op(OperationKind::undo, kNoId);
  undo.event = done->event;
  EXPECT_THAT(refused(session, undo), HasSubstr("builds on event"));

  ASSERT_TRUE(session.close().ok());
  auto again = Session::open(s.path);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->view()->info(0).verified, 1u);
  ASSERT_TRUE(again->undo(moved->event).ok());
  EXPECT_TRUE(again->view()->is_verified(samples[0]));
  ASSERT_TRUE(again->undo(done->event).ok());
  EXPECT_EQ(again->view()->info(0).verified, 0u);
}

TEST(Session, AMoveCannotBeUndoneUnderAMarkThatBuildsOnIt) {
  Stream s;
  Session session = s.decided();
  Operation move = op(OperationKind::move, kNoId);
  move.samples = {3, 4};
  const auto moved = session.apply(move);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  Operation verify = op(OperationKind::verify, kNoId);
  verify.samples = {3};
  const auto verified = session.apply(verify);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  EXPECT_EQ(session.view()->info(moved->category).verified, 1u);
  Operation undo = op(OperationKind::undo, kNoId);
  undo.event = moved->event;
  EXPECT_THAT(refused(session, undo), HasSubstr("verified 1 sample"));
  ASSERT_TRUE(session.undo(verified->event).ok());
  EXPECT_TRUE(session.apply(undo).ok());
  undo.event = verified->event + 1;
  EXPECT_THAT(refused(session, undo), HasSubstr("relies on operations that were taken back"));
}

TEST(Session, UndoNamesWhatBuildsOnAnOperation) {
  Stream s;
  Session session = s.decided();
  const CategoryId a = s.first(), b = s.first() + 1;
  ASSERT_LT(b, session.method().categories().next());
  Operation merge = op(OperationKind::merge, a);
  merge.categories = {b};
  const auto merged = session.apply(merge);
  ASSERT_TRUE(merged.ok());
  const auto retired = session.apply(op(OperationKind::retire, a));
  ASSERT_TRUE(retired.ok());
  Operation undo = op(OperationKind::undo, -1);
  undo.event = merged->event;
  EXPECT_THAT(refused(session, undo), HasSubstr("event " + std::to_string(retired->event) + " ("));
  ASSERT_TRUE(session.undo(retired->event).ok());
  ASSERT_TRUE(session.undo(merged->event).ok());
  EXPECT_THAT(refused(session, undo), HasSubstr("taken back already"));
  EXPECT_EQ(session.history()->size(), 4u);
}

TEST(Session, NoTwoCategoriesEverShareANameWhateverClassesAreCalled) {
  Stream s;
  SupportSet support = s.data.support_set();
  support.class_names = {"a", "category 5", "category 7", "d", "e"};
  s.model = testing::calibrated(support);
  ASSERT_NE(s.model, nullptr);
  Session session = s.decided();
  const Categories& categories = session.method().categories();
  ASSERT_GT(categories.next(), 7);
  EXPECT_EQ(categories.name(5), "category 5 (2)");
  EXPECT_THAT(refused(session, op(OperationKind::rename, 6, "category 5 (2)")),
              HasSubstr("category 5 gets by itself"));
  EXPECT_THAT(refused(session, op(OperationKind::rename, 6, "category 5")),
              HasSubstr("category 1 is called 'category 5' already"));
  ASSERT_TRUE(session.apply(op(OperationKind::rename, 5, "heron")).ok());
  ASSERT_TRUE(session.apply(op(OperationKind::rename, 5, "category 5 (2)")).ok());
  EXPECT_TRUE(categories[5].name.empty()) << "its own name again";
  ASSERT_TRUE(session.apply(op(OperationKind::rename, 1, "b")).ok());
  ASSERT_TRUE(session.apply(op(OperationKind::rename, 1, "category 5")).ok());
  std::set<std::string> names;
  for (CategoryId id = 0; id < categories.next(); ++id) names.insert(categories.name(id));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(categories.next()));
}

TEST(Session, WhatMakesNoSenseIsRefusedInWords) {
  Stream s;
  Session session = s.decided();
  const CategoryId a = s.first();
  EXPECT_THAT(refused(session, op(OperationKind::rename, 99999, "x")),
              HasSubstr("there is no category 99999"));
  EXPECT_THAT(refused(session, op(OperationKind::rename, a, "  ")), HasSubstr("empty"));
  EXPECT_THAT(refused(session, op(OperationKind::rename, a, "0")),
              HasSubstr("category 0 is called"));
  EXPECT_THAT(refused(session, op(OperationKind::rename, a, "category 4711")),
              HasSubstr("gets by itself"));
  Operation o = op(OperationKind::separate, a);
  o.prototypes = session.method().categories()[a].prototypes;
  EXPECT_THAT(refused(session, o), HasSubstr("all prototypes"));
  o = op(OperationKind::move, a);
  o.samples = {1u << 30};
  EXPECT_THAT(refused(session, o), HasSubstr("there is no sample"));
  o = op(OperationKind::undo, -1);
  o.event = 3;
  EXPECT_THAT(refused(session, o), HasSubstr("event 3 is no operation"));
  for (CategoryId id = 0; id + 2 < s.first(); ++id)
    ASSERT_TRUE(session.apply(op(OperationKind::retire, id)).ok());
  EXPECT_THAT(refused(session, op(OperationKind::retire, s.first() - 1)),
              HasSubstr("fewer than 2 known classes"));
}

TEST(Session, WithoutAJournalNothingCanBeMoved) {
  Stream s;
  Session session = Session::start(s.model).value();
  ASSERT_TRUE(session.decide(s.data.stream, s.decisions).ok());
  Operation move = op(OperationKind::move, -1);
  move.samples = {0};
  EXPECT_THAT(refused(session, move), HasSubstr("embeddings"));
  ASSERT_TRUE(session.apply(op(OperationKind::rename, s.first(), "heron")).ok());
  EXPECT_EQ(session.method().categories().name(s.first()), "heron");
}

TEST(Session, ASecondWriterIsRefusedAndAReaderIsNot) {
  Stream s;
  Session session = s.decided();
  const auto second = Session::open(s.path);
  ASSERT_FALSE(second.ok());
  auto reader = Session::open_read_only(s.path);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ(reader->digest().value(), session.digest().value());
  EXPECT_FALSE(reader->apply(op(OperationKind::rename, 0, "x")).ok());
}

TEST(Session, MirrorStreamsLiveInJournalsToo) {
  Stream s;
  CalibrationOptions options;
  options.method = "mirror";
  options.set("splits", 4);
  s.model = testing::calibrated(s.data.support_set(), options);
  ASSERT_NE(s.model, nullptr);
  Session session = s.made("");
  ASSERT_EQ(session.method().name(), "mirror");
  ASSERT_TRUE(session.decide(s.data.stream, s.decisions).ok());
  const CategoryId next = session.method().categories().next();
  if (next > s.first() + 1) {
    const std::string before = session.digest().value();
    Operation merge = op(OperationKind::merge, s.first());
    merge.categories = {s.first() + 1};
    const auto done = session.apply(merge);
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_TRUE(session.undo(done->event).ok());
    EXPECT_EQ(session.digest().value(), before);
  }
  EXPECT_THAT(refused(session, op(OperationKind::promote, 0)), HasSubstr("known class already"));
  Operation move = op(OperationKind::move, kNoId);
  move.samples = {0, 1};
  ASSERT_TRUE(session.apply(move).ok());
  const std::string digest = session.digest().value();
  ASSERT_TRUE(session.close().ok());
  auto again = Session::open(s.path);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->digest().value(), digest);
}

}  // namespace
}  // namespace paco::session
