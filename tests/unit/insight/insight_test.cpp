// Directions, maps, neighbours and suggestions of streams, for every kind of method: PACO, mirror
// (which compares in a space of its own) and methods without directions.
#include "insight/insight.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "math/kernels.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::insight {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

// Classes that no method mixes up.
struct Stream {
  explicit Stream(const std::string& method) {
    CalibrationOptions options;
    options.method = method;
    model = testing::calibrated_alone(data.support_set(), options);
  }

  testing::SyntheticData data = testing::make_data(
      {.dimension = 24, .known = 8, .novel = 4, .per_class = 12, .stream = 400, .noise = 0.35}, 5);
  std::shared_ptr<const Model> model;
  testing::TemporaryFolder folder;
  std::vector<Decision> decisions = std::vector<Decision>(data.stream.rows());

  Session decided(const std::string& method, bool with_journal = true) {
    auto session = with_journal
                       ? Session::create(folder / (method + ".journal"), model, method, {}, {})
                       : Session::start(model, method);
    EXPECT_TRUE(session.ok()) << (session.ok() ? "" : session.error().message);
    EXPECT_TRUE(session->decide(data.stream, decisions).ok());
    return std::move(session).value();
  }
  // Members of the discovered category that was answered most often.
  std::vector<std::uint64_t> members_of_largest(const Session& session) const {
    const Categories& categories = session.method().categories();
    CategoryId best = static_cast<CategoryId>(model->known_classes());
    for (CategoryId id = best; id < categories.next(); ++id) {
      if (categories[id].answered > categories[best].answered) best = id;
    }
    std::vector<std::uint64_t> out;
    for (const Decision& d : decisions) {
      if (d.category == best) out.push_back(d.sequence);
    }
    return out;
  }
};

Insight insight_in(Session& session) {
  auto insight = insight_of(session);
  EXPECT_TRUE(insight.ok()) << (insight.ok() ? "" : insight.error().message);
  return std::move(insight).value();
}

std::vector<Suggestion> of_kind(const Insight& insight, const std::string& kind) {
  std::vector<Suggestion> out;
  for (const Suggestion& s : insight.suggestions) {
    if (s.kind == kind) out.push_back(s);
  }
  return out;
}

class InsightOf : public ::testing::TestWithParam<const char*> {
 protected:
  Stream stream_{GetParam()};
};

TEST_P(InsightOf, DirectionsAreThoseOfTheMethod) {
  Session session = stream_.decided(GetParam(), false);
  const Directions all = directions_of(session.method(), session.events());
  EXPECT_EQ(all.events, session.events());
  EXPECT_EQ(all.dimension, stream_.data.stream.columns());
  ASSERT_GT(all.size(), stream_.model->known_classes());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::span<const float> row(all.row(i), all.dimension);
    EXPECT_NEAR(all.cosine(i, row), 1, 1e-5);
    const Prototype prototype = session.method().prototype(all.prototypes[i]);
    EXPECT_EQ(all.owners[i], prototype.owner);
    EXPECT_EQ(all.sizes[i], prototype.size());
    EXPECT_EQ(all.known[i] != 0, prototype.reference);
    const auto first = stream_.data.stream[0];
    const auto unit = all.transform->apply(first);
    ASSERT_TRUE(unit.ok());
    EXPECT_NEAR(all.cosine(i, *unit),
                session.method().directions()->cosine(all.prototypes[i], first).value(), 1e-5);
  }
}

TEST_P(InsightOf, ACategoryOfLowNoiseIsNearestToItsMembers) {
  Session session = stream_.decided(GetParam(), false);
  const Directions all = directions_of(session.method(), session.events());
  std::size_t equal = 0;
  for (const Decision& decision : stream_.decisions) {
    const auto unit = all.transform->apply(stream_.data.stream[decision.sequence]);
    ASSERT_TRUE(unit.ok());
    const auto near = nearest_categories(all, *unit, 3);
    ASSERT_THAT(near, SizeIs(3));
    EXPECT_GE(near[0].cosine, near[1].cosine);
    equal += near[0].category == decision.category;
    const auto others = nearest_categories(all, *unit, 1, near[0].category);
    ASSERT_THAT(others, SizeIs(1));
    EXPECT_EQ(others[0].category, near[1].category);
  }
  EXPECT_GT(equal, stream_.decisions.size() * 9 / 10);
}

TEST_P(InsightOf, TheMapHasEveryPrototypeOnceWithinItsBounds) {
  Session session = stream_.decided(GetParam(), false);
  const Directions all = directions_of(session.method(), session.events());
  const PrototypeMap map = principal_map(all, 1000);
  ASSERT_THAT(map.points, SizeIs(all.size()));
  std::vector<char> seen(all.size());
  double widest = 0;
  for (const MapPoint& point : map.points) {
    EXPECT_FALSE(seen[point.prototype]++);
    EXPECT_LE(std::abs(point.x), 1);
    EXPECT_LE(std::abs(point.y), 1);
    widest = std::max({widest, std::abs(point.x), std::abs(point.y)});
  }
  EXPECT_DOUBLE_EQ(widest, 1);
  EXPECT_GE(map.explained[0], map.explained[1]);
  EXPECT_GT(map.explained[1], 0);
  EXPECT_LE(map.explained[0] + map.explained[1], 1 + 1e-9);
  EXPECT_THAT(principal_map(all, 3).points, SizeIs(3));
}

TEST_P(InsightOf, TwoHalvesOfACategoryAreProposedForMergingAndDistinctOnesAreNot) {
  Session session = stream_.decided(GetParam());
  EXPECT_THAT(of_kind(insight_in(session), "merge"), IsEmpty());
  std::vector<std::uint64_t> members = stream_.members_of_largest(session);
  ASSERT_GE(members.size(), 20u);
  members.resize(members.size() / 2);
  Operation move;
  move.kind = OperationKind::move;
  move.samples = members;
  const auto moved = session.apply(move);
  ASSERT_TRUE(moved.ok()) << moved.error().message;
  const auto merges = of_kind(insight_in(session), "merge");
  ASSERT_THAT(merges, SizeIs(1));
  EXPECT_THAT(merges[0].categories, ::testing::Contains(moved->category));
  EXPECT_GT(merges[0].strength, 0.5);
  ASSERT_TRUE(merges[0].operation);
  // What is proposed can be done, and is then no longer proposed.
  const auto merged = session.apply(*merges[0].operation);
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_THAT(of_kind(insight_in(session), "merge"), IsEmpty());
}

TEST_P(InsightOf, UnnamedCategoriesAreAskedForANameTheLargestFirst) {
  Session session = stream_.decided(GetParam());
  const auto asked = of_kind(insight_in(session), "name");
  ASSERT_GE(asked.size(), 3u);
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const Suggestion& s : asked) {
    ASSERT_THAT(s.categories, SizeIs(1));
    const CategoryInfo info = session.view()->info(s.categories[0]);
    EXPECT_FALSE(info.known);
    EXPECT_LE(info.size, before);
    before = info.size;
  }
  Operation rename;
  rename.category = asked[0].categories[0];
  rename.name = "heron";
  ASSERT_TRUE(session.apply(rename).ok());
  for (const Suggestion& s : of_kind(insight_in(session), "name"))
    EXPECT_NE(s.categories[0], rename.category);
}

TEST_P(InsightOf, SamplesThatMetTheirThresholdNarrowlyAreListed) {
  Session session = stream_.decided(GetParam());
  const Insight insight = insight_in(session);
  const auto close = of_kind(insight, "look");
  ASSERT_THAT(close, SizeIs(10));
  for (const Suggestion& s : close) {
    ASSERT_THAT(s.samples, SizeIs(1));
    EXPECT_FALSE(s.operation);
    EXPECT_EQ(s.categories[0], stream_.decisions[s.samples[0]].category);
  }
  std::string kinds;
  for (const Suggestion& s : insight.suggestions) {
    if (!kinds.ends_with(s.kind)) kinds += " " + s.kind;
  }
  EXPECT_TRUE(kinds.ends_with(" name look")) << kinds;
  const auto json = insight_json(insight, *session.view());
  EXPECT_EQ(json["event"], session.events());
  EXPECT_EQ(json["suggestions"].size(), insight.suggestions.size());
  EXPECT_TRUE(json["names"].contains(std::to_string(close[0].categories[0])));
}

INSTANTIATE_TEST_SUITE_P(Methods, InsightOf, ::testing::Values("paco", "mirror"));

TEST(Insight, AMethodWithoutDirectionsGivesNoMergeQuestionAndNoError) {
  Stream stream("paco");
  stream.model = testing::calibrated(stream.data.support_set());
  for (const std::string& name : method_names()) {
    if (make_method(name, stream.model).value()->directions() != nullptr) continue;
    SCOPED_TRACE(name);
    Session session = stream.decided(name);
    const Directions all = directions_of(session.method(), session.events());
    EXPECT_EQ(all.size(), 0u);
    EXPECT_THAT(principal_map(all, 100).points, IsEmpty());
    EXPECT_THAT(nearest_categories(all, {}, 5), IsEmpty());
    for (const Suggestion& s : insight_in(session).suggestions) EXPECT_NE(s.kind, "merge");
  }
}

TEST(Insight, OfASessionWithoutAJournalNeedsNoFile) {
  Stream stream("mirror");
  Session session = stream.decided("mirror", false);
  const Insight insight = insight_in(session);
  EXPECT_EQ(insight.events, stream.decisions.size());
  for (const Suggestion& s : insight.suggestions)
    EXPECT_TRUE(s.kind == "merge" || s.kind == "name");
}

}  // namespace
}  // namespace paco::insight
