// The hard corners of the decision layer: extreme shapes, ties, cancelling and repeated samples,
// streams of one kind, very many categories, and input that must be refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "laws/discover_case.hpp"
#include "methods/common/prototype_method.hpp"
#include "methods/common/state_file.hpp"
#include "methods/paco/paco_evidence.hpp"
#include "sanitized.hpp"

namespace paco {
namespace {

using testing::decide_all;
using ::testing::HasSubstr;
using testing::identity_model;
using testing::MadePlan;
using testing::make_data;
using testing::method_for;
using testing::same_decisions;
using testing::saved;
using testing::SyntheticData;
using testing::three_axes;

void expect_engine_is_reference(const std::shared_ptr<const Model>& model,
                                const math::Matrix<double>& stream, const std::string& where) {
  const auto reference = method_for("reference", model);
  const auto expected = decide_all(*reference, stream, 1);
  for (const std::size_t block : {1, 33, 1000}) {
    const auto fast = method_for("paco", model);
    ASSERT_TRUE(same_decisions(decide_all(*fast, stream, block), expected))
        << where << ", block " << block;
  }
}

TEST(DiscoverCorners, ShapesFromTwoToManyDimensions) {
  for (const std::size_t d : {2, 3, 31, 32, 33, 4096}) {
    for (const double noise : {0.3, 1.0}) {
      MadePlan plan;
      plan.dimension = d;
      plan.known = 3;
      plan.noise = noise;
      plan.per_class = 4;
      plan.stream = d > 1000 ? 60 : 300;
      const SyntheticData data = make_data(plan, d);
      const auto model = testing::calibrated_alone(data.support_set());
      expect_engine_is_reference(model, data.stream, "d " + std::to_string(d));
    }
  }
}

TEST(DiscoverCorners, StreamsOfOneKind) {
  for (const std::string kind : {"known", "novel", "empty"}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      MadePlan plan;
      plan.stream = 200;
      const SyntheticData data = make_data(plan, seed);
      math::Matrix<double>::Numbers rows;
      for (std::size_t i = 0; i < data.stream.rows() && kind != "empty"; ++i) {
        if ((data.truth[i] < 5) == (kind == "known"))
          rows.insert(rows.end(), data.stream[i].begin(), data.stream[i].end());
      }
      const std::size_t count = rows.size() / plan.dimension;
      const math::Matrix<double> stream(count, plan.dimension, std::move(rows));
      const auto model = testing::calibrated(data.support_set());
      expect_engine_is_reference(model, stream, kind + ", seed " + std::to_string(seed));
    }
  }
}

TEST(DiscoverCorners, RepeatedSamplesMeetTheClampOfTheConcentration) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    MadePlan plan;
    plan.noise = 0.8;
    plan.stream = 12;
    const SyntheticData data = make_data(plan, seed);
    const auto model = testing::calibrated(data.support_set());
    math::Matrix<double> stream(240, plan.dimension);
    for (std::size_t i = 0; i < stream.rows(); ++i) {
      const auto row = data.stream[(i * 7 + i / 24) % 12];
      std::copy(row.begin(), row.end(), stream[i].begin());
    }
    expect_engine_is_reference(model, stream, "seed " + std::to_string(seed));
  }
}

TEST(DiscoverCorners, SamplesThatCancelLeaveACategoryWithoutDirection) {
  // Nothing explains anything but its own category; everything attaches.
  const auto model = identity_model(4, {1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0}, 0.999, -1e9);
  const double tiny = 1e-40;
  const math::Matrix<double> stream(8, 4, {0, 0, 1, 0,    0, 0, -1, 0, 0, 0, 0,   1,   0, 0, 0, -1,
                                           0, 0, 1, tiny, 0, 0, -1, 0, 0, 0, 0.6, 0.8, 0, 0, 1, 0});
  const auto decisions = decide_all(*method_for("reference", model), stream, 1);
  EXPECT_EQ(methods::branch_of(decisions[0]), methods::Branch::create);
  EXPECT_EQ(methods::branch_of(decisions[1]), methods::Branch::attach)
      << "u and -u in one category";
  EXPECT_EQ(decisions[2].evidence[methods::kBirthScore], 0) << "a sum of length zero has cosine 0";
  expect_engine_is_reference(model, stream, "cancelling");

  const auto method = method_for("paco", model);
  decide_all(*method, stream.view().slice(0, 2), 2);
  const auto view = method->view();
  ASSERT_EQ(view->discovered, 1u);
  EXPECT_EQ(view->info(3).resultant_length, 0);
}

TEST(DiscoverCorners, OfEqualPrototypesTheLowestIdWins) {
  // References 1 and 2 are the same; a sample between them and nothing else belongs to 1.
  const auto known = identity_model(3, {1, 0, 0, 0, 1, 0, 0, 1, 0}, -2, 1e9);
  const math::Matrix<double> stream(2, 3, {0, 1, 0, 0, 2, 0});
  for (const std::string name : {"paco", "reference", "closed", "leader"}) {
    const auto method = method_for(name, known);
    const int margin = method->info().field("margin");
    ASSERT_GE(margin, 0) << name;
    for (const Decision& d : decide_all(*method, stream, 2)) {
      EXPECT_EQ(d.category, 1) << name;
      EXPECT_EQ(d.runner_up, 2) << name;
      EXPECT_EQ(d.evidence[static_cast<std::size_t>(margin)], 0) << name;
    }
  }
  // Two categories at the same angle to a sample: u = (0, 0, 1) between (0, +a, b) and (0, -a, b).
  const auto open = identity_model(3, {1, 0, 0, -1, 0, 0, 1, 0, 0}, 0.7, 1e9);
  const math::Matrix<double> pair(3, 3, {0, 0.6, 0.8, 0, -0.6, 0.8, 0, 0, 1});
  for (const std::string name : {"paco", "reference", "leader", "slc"}) {
    const auto decisions = decide_all(*method_for(name, open), pair, 3);
    EXPECT_EQ(decisions[0].category, 3) << name;
    EXPECT_EQ(decisions[1].category, 4) << name;
    EXPECT_EQ(decisions[2].category, 3) << name;
    EXPECT_EQ(decisions[2].runner_up, 4) << name;
  }
}

TEST(DiscoverCorners, NearTiesAreSettledInDouble) {
  // Categories whose directions differ far below float32's bound.
  core::Random random(41);
  const std::size_t d = 24;
  // With such a prior sizes make no difference, only directions do.
  const auto model = identity_model(d, three_axes(d), 0.999999985, 1e9, 1e15);
  math::Matrix<double> stream(120, d);
  std::vector<double> base(d);
  for (double& x : base) x = random.normal();
  for (std::size_t i = 0; i < stream.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j) stream[i][j] = base[j] + 1e-4 * random.normal();
  expect_engine_is_reference(model, stream, "near ties");
  const auto fast = method_for("paco", model);
  decide_all(*fast, stream, 40);
  EXPECT_GT(testing::figure(*fast, "ties_resolved_in_double"), 50);
  EXPECT_GT(fast->view()->discovered, 10u);
}

TEST(DiscoverCorners, WhereAllDirectionsAreAlikeScreeningGoesOverToFloat32) {
  // As after a shift of domain: everything has a large part in common, categories differ in the
  // third decimal of their cosines. Long enough to decide on both sides of the change.
  core::Random random(43);
  const std::size_t d = 64, kinds = 60;
  const auto model = identity_model(d, three_axes(d), 0.9995, 1e9);
  math::Matrix<double> centres(kinds, d), stream(900, d);
  for (std::size_t k = 0; k < kinds; ++k)
    for (std::size_t j = 0; j < d; ++j) centres[k][j] = 1 + 0.06 * random.normal();
  for (std::size_t i = 0; i < stream.rows(); ++i) {
    const auto centre = centres[random.below(kinds)];
    for (std::size_t j = 0; j < d; ++j) stream[i][j] = centre[j] + 0.01 * random.normal();
  }
  expect_engine_is_reference(model, stream, "alike");
  const auto fast = method_for("paco", model);
  const auto& engine = dynamic_cast<const methods::PrototypeMethod&>(*fast);
  EXPECT_EQ(engine.prefilter_format(), math::best_screen_format(d));
  decide_all(*fast, stream, 100);
  EXPECT_EQ(engine.prefilter_format(), math::PrefilterFormat::float32);
  EXPECT_GT(fast->view()->discovered, 10u);
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(DiscoverCorners, MemoryPerCategoryStaysWithinItsPromise) {
  if (PACO_SANITIZED) GTEST_SKIP() << "the sanitizer has memory of its own";
  constexpr std::size_t d = 64, kCategories = 4'000, kFirst = 100;
  const auto model = identity_model(d, three_axes(d), 0.999, 1e9);
  core::Random random(42);
  const math::Matrix<double> stream = testing::random_directions(kCategories, d, random);
  const auto method = method_for("paco", model);
  // One by one: products of whole blocks need room of their own.
  const auto decide = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) ASSERT_TRUE(method->decide(stream[i]).ok());
  };
  decide(0, kFirst);
  const std::size_t before = resident_bytes();
  // All of them grow to be mature, so that the boundary holds every one.
  decide(kFirst, kCategories);
  decide(0, kCategories);
  const std::size_t after = resident_bytes();
  ASSERT_GT(testing::figure(*method, "mature"), 0.99 * kCategories);
  const double each =
      static_cast<double>(after - before) / static_cast<double>(kCategories - kFirst);
  // A prototype takes 12 d + 64, the rest is for what people see: name, owner, counts.
  EXPECT_LE(each, 12.0 * d + 64 + 208);
}

TEST(DiscoverCorners, AHundredThousandCategories) {
  constexpr std::size_t d = 8, kCategories = 100'000;
  const auto model = identity_model(d, three_axes(d), 0.98, 1e9);
  // As if each had been created by one sample and some had grown since.
  core::Random random(43);
  methods::State state;
  state.prototypes = methods::PrototypeTable(*model);
  state.categories = Categories(model->class_names);
  std::vector<double> sums;
  for (std::size_t c = 0; c < kCategories; ++c) {
    methods::PrototypeRecord record;
    record.owner = state.categories.next();
    record.members = 1 + static_cast<std::int64_t>(random.below(3));
    record.birth = c;
    const PrototypeId p = state.prototypes.add(record);
    state.categories.edit(state.categories.open(p, c)).answered =
        static_cast<std::uint64_t>(record.members);
    state.samples += static_cast<std::uint64_t>(record.members);
    double squared = 0;
    std::vector<double> sum(d);
    for (double& x : sum) x = random.normal(), squared += x * x;
    const double length = static_cast<double>(record.members) * random.uniform(0.6, 1);
    for (const double x : sum) sums.push_back(x * length / std::sqrt(squared));
  }
  state.own.tensors["sums"] = {{kCategories, d}, sums};
  state.own.tensors["rows"] = {{0, d}, std::vector<float>{}};
  const auto all = static_cast<std::int64_t>(state.samples);
  state.own.numbers["lowest_tau_birth"] = 0.98;
  state.own.tensors["branches"] = {{4}, std::vector<std::int64_t>{0, 0, 0, all}};
  state.own.tensors["routes"] = {{3}, std::vector<std::int64_t>{0, 0, all}};
  math::Matrix<double> stream(24, d);
  for (std::size_t i = 0; i < stream.rows(); ++i)
    for (double& x : stream[i]) x = random.normal();
  std::vector<Decision> expected;
  for (const std::string name : {"reference", "paco"}) {
    const auto method = method_for(name, model);
    const auto restored =
        method->restore(methods::state_to_bytes(state, *method, "").value(), "state");
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    const auto decisions = decide_all(*method, stream, name == "paco" ? 64 : 1);
    if (name == "paco") {
      EXPECT_TRUE(same_decisions(decisions, expected));
    }
    expected = decisions;
    EXPECT_GE(method->view()->discovered, kCategories);
  }
}

// Every refusal: a clear error, and the memory as it was.
TEST(DiscoverCorners, ARefusedBlockLeavesTheMemoryAsItWas) {
  const SyntheticData data = make_data({}, 12);
  const auto model = testing::calibrated(data.support_set());
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::string& name : method_names()) {
    const auto method = method_for(name, model);
    decide_all(*method, data.stream.view().slice(0, 50), 50);
    const std::string before = saved(*method);
    std::vector<Decision> out(20);
    for (const std::size_t bad : {0, 7, 19}) {
      for (const double value : {std::nan(""), inf, -inf, 0.0}) {
        math::Matrix<double> block(20, 12);
        std::copy_n(data.stream[60].data(), 240, block.data());
        if (value == 0) {
          for (double& x : block[bad]) x = 0;
        } else {
          block[bad][5] = value;
        }
        const auto done = method->decide_block(block, out);
        ASSERT_FALSE(done.ok()) << name;
        EXPECT_EQ(done.error().code, ErrorCode::bad_value);
        EXPECT_THAT(done.error().message, HasSubstr("row " + std::to_string(50 + bad) + " "));
        EXPECT_FALSE(done.error().hint.empty());
        EXPECT_EQ(saved(*method), before) << name;
      }
    }
    const std::vector<double> narrow(11, 1.0);
    const auto refused = method->decide(narrow);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().code, ErrorCode::bad_shape);
    EXPECT_THAT(refused.error().message, HasSubstr("11 columns, the model expects 12"));
    EXPECT_FALSE(method->decide(std::vector<double>{}).ok());
    EXPECT_EQ(saved(*method), before) << name;
    const math::Matrix<double> two(2, 12);
    std::vector<Decision> room_for_one(1);
    const auto cramped = method->decide_block(two, room_for_one);
    ASSERT_FALSE(cramped.ok()) << name;
    EXPECT_THAT(cramped.error().message, HasSubstr("2 embeddings but room for 1 decisions"));
    EXPECT_EQ(saved(*method), before) << name;
    // The support mean itself has no direction.
    const auto mean = method->decide(model->mean);
    ASSERT_FALSE(mean.ok());
    EXPECT_THAT(mean.error().message, HasSubstr("no direction"));
    EXPECT_EQ(saved(*method), before) << name;
  }
}

TEST(DiscoverCorners, AConstantCoordinateThatMovesInTheStreamIsStillDecided) {
  SyntheticData data = make_data({}, 13);
  for (std::size_t i = 0; i < data.support.rows(); ++i) data.support[i][4] = 2;
  const auto model = testing::calibrated(data.support_set());
  expect_engine_is_reference(model, data.stream, "constant coordinate");
}

}  // namespace
}  // namespace paco
