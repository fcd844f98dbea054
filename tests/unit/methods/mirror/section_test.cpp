// Models and states come back from their sections as they were, and damaged ones are refused.
#include "methods/mirror/section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "mirror_case.hpp"

namespace paco::testing {
namespace {

using ::testing::HasSubstr;

TEST(MirrorSection, AModelComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const MirrorCase c = mirror_case(seed);
    const methods::MirrorSection section = methods::to_section(*c.model);
    const auto back = methods::model_from_section(section, "model.paco");
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(methods::to_section(*back), section);
    methods::MirrorEngine a(c.model), b(std::make_shared<const methods::MirrorModel>(*back));
    EXPECT_TRUE(same_runs(run_mirror(a, c.stream, 64), run_mirror(b, c.stream, 64)));
  }
}

TEST(MirrorSection, AStateComesBackAsItWas) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const MirrorCase c = mirror_case(seed);
    methods::MirrorEngine engine(c.model);
    run_mirror(engine, c.stream, 64);
    const methods::MirrorState state = engine.save();
    const auto back =
        methods::state_from_section(methods::to_section(state, *c.model), *c.model, "a.state");
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, state);
  }
}

// Every tensor missing, of another shape, or with a value that is not finite; every setting gone.
template <class Load>
void expect_damage_is_refused(const methods::MirrorSection& section, Load load) {
  for (const auto& [name, tensor] : section.tensors) {
    methods::MirrorSection damaged = section;
    damaged.tensors.erase(name);
    EXPECT_THAT(load(damaged).error().message, HasSubstr("no tensor '" + name + "'"));
    damaged = section;
    damaged.tensors[name].shape.front() += 1;
    EXPECT_THAT(load(damaged).error().message, HasSubstr("'" + name + "' has another shape"));
    damaged = section;
    if (auto* values = std::get_if<std::vector<double>>(&damaged.tensors[name].values)) {
      if (values->empty()) continue;
      values->back() = std::numeric_limits<double>::quiet_NaN();
      EXPECT_THAT(load(damaged).error().message, HasSubstr("not finite")) << name;
    }
    damaged = section;
    damaged.tensors[name].values = std::vector<std::int64_t>();
    EXPECT_FALSE(load(damaged).ok() && !std::get_if<std::vector<std::int64_t>>(&tensor.values));
  }
  const auto settings = nlohmann::ordered_json::parse(section.settings);
  for (const auto& item : settings.items()) {
    auto less = settings;
    less.erase(item.key());
    methods::MirrorSection damaged = section;
    damaged.settings = less.dump();
    EXPECT_THAT(load(damaged).error().message, HasSubstr("settings cannot be read")) << item.key();
  }
}

TEST(MirrorSection, DamagedModelsAreRefused) {
  const methods::MirrorSection section = methods::to_section(*mirror_case(1).model);
  const auto load = [](const methods::MirrorSection& s) {
    return methods::model_from_section(s, "model.paco");
  };
  expect_damage_is_refused(section, load);
  const auto refused_with = [&](const char* key, const nlohmann::json& value) {
    auto settings = nlohmann::ordered_json::parse(section.settings);
    settings[key] = value;
    methods::MirrorSection damaged = section;
    damaged.settings = settings.dump();
    return !load(damaged).ok();
  };
  EXPECT_TRUE(refused_with("dimension", 1));
  EXPECT_TRUE(refused_with("dimension", std::uint64_t{1} << 60));
  EXPECT_TRUE(refused_with("known", 2));
  EXPECT_TRUE(refused_with("alpha", 2.0));
  EXPECT_TRUE(refused_with("rho", -1.0));
  EXPECT_TRUE(refused_with("start", 1e30));
}

TEST(MirrorSection, DamagedStatesAreRefused) {
  const MirrorCase c = mirror_case(4);
  methods::MirrorEngine engine(c.model);
  run_mirror(engine, c.stream, 64);
  const methods::MirrorState state = engine.save();
  ASSERT_GE(state.prototypes.size(), 2u);
  const auto load = [&](const methods::MirrorSection& s) {
    return methods::state_from_section(s, *c.model, "a.state");
  };
  expect_damage_is_refused(methods::to_section(state, *c.model), load);
  const auto refused = [&](auto damage) {
    methods::MirrorState damaged = state;
    damage(damaged);
    return !load(methods::to_section(damaged, *c.model)).ok() &&
           !methods::MirrorEngine(c.model).restore(damaged).ok();
  };
  EXPECT_TRUE(refused([](methods::MirrorState& s) { s.cursor = s.samples + 1; }));
  EXPECT_TRUE(refused([](methods::MirrorState& s) { s.confident = s.samples + 1; }));
  EXPECT_TRUE(refused([](methods::MirrorState& s) { s.next_category = 0; }));
  EXPECT_TRUE(refused([](methods::MirrorState& s) { s.prototypes[0].members = -1; }));
  EXPECT_TRUE(
      refused([](methods::MirrorState& s) { std::swap(s.prototypes[0], s.prototypes[1]); }));
  EXPECT_TRUE(refused([](methods::MirrorState& s) { s.prototypes[0].category = s.next_category; }));
  EXPECT_TRUE(refused([](methods::MirrorState& s) { s.reference_categories[0] = -5; }));
}

}  // namespace
}  // namespace paco::testing
