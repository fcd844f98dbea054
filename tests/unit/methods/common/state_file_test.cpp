// States on disk: refused where they do not belong or contradict themselves, and then the method is
// as it was.
#include "methods/common/state_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "damaged_file.hpp"
#include "synthetic_data.hpp"
#include "temporary_folder.hpp"

namespace paco::methods {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

struct Fixture {
  testing::SyntheticData data;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Method> method;
};

Fixture after(std::size_t samples, const std::string& name = "paco") {
  testing::MadePlan plan;
  plan.dimension = 4;
  plan.stream = samples;
  plan.noise = 0.2;
  Fixture f{testing::make_data(plan, 6), nullptr, nullptr};
  f.model = testing::calibrated(f.data.support_set());
  f.method = testing::method_for(name, f.model);
  testing::decide_all(*f.method, f.data.stream, 16);
  return f;
}

std::string saved(const Method& method) {
  const auto bytes = method.save();
  EXPECT_TRUE(bytes.ok());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

TEST(StateFile, OfAnotherMethodIsRefused) {
  const TemporaryFolder folder;
  const Fixture f = after(20);
  testing::write_bytes(folder / "s.paco", saved(*f.method));
  for (const std::string& name : method_names()) {
    const auto other = testing::method_for(name, f.model);
    const auto restored = other->restore(folder / "s.paco");
    EXPECT_EQ(restored.ok(), name == "paco") << name;
    if (restored.ok()) continue;
    EXPECT_EQ(restored.error().code, ErrorCode::mismatch);
    EXPECT_THAT(restored.error().hint, HasSubstr("--method paco"));
    EXPECT_EQ(other->samples(), 0u);
  }
}

TEST(StateFile, OfAnotherModelIsRefused) {
  const TemporaryFolder folder;
  const Fixture f = after(20);
  testing::write_bytes(folder / "s.paco", saved(*f.method));
  Model changed = *f.model;
  changed.sections["paco"].numbers["tau_lo"] += 1e-9;
  const auto other = testing::method_for("paco", std::make_shared<const Model>(changed));
  const std::string before = saved(*other);
  const auto restored = other->restore(folder / "s.paco");
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::mismatch);
  EXPECT_THAT(restored.error().message, HasSubstr(f.model->fingerprint()));
  EXPECT_EQ(saved(*other), before);
}

TEST(StateFile, OfOtherSettingsIsRefusedWithThoseItWasMadeWith) {
  const Fixture f = after(20);
  const auto with = [&](const Settings& settings) {
    return std::move(make_method("paco", f.model, {1, settings})).value();
  };
  const auto unrouted = with({{"routing", "off"}});
  testing::decide_all(*unrouted, f.data.stream, 16);
  const auto refused = with({})->restore(*unrouted->save(), "s.paco");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::mismatch);
  EXPECT_THAT(refused.error().hint, HasSubstr("--set routing=off"));
  EXPECT_TRUE(with({{"routing", "off"}})->restore(*unrouted->save(), "s.paco").ok());
  const auto other = with({{"routing", "off"}})->restore(*f.method->save(), "s.paco");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().hint, HasSubstr("without --set"));
}

// However it came about: decided here, restored from a file, in one block or many.
TEST(StateFile, EqualStatesHaveEqualBytesAndDigests) {
  for (const std::string& name : method_names()) {
    const Fixture f = after(40, name);
    const auto again = testing::method_for(name, f.model);
    testing::decide_all(*again, f.data.stream, 7);
    EXPECT_EQ(saved(*again), saved(*f.method)) << name;
    EXPECT_EQ(again->digest().value(), f.method->digest().value()) << name;
    const auto restored = testing::method_for(name, f.model);
    ASSERT_TRUE(restored->restore(*f.method->save(), "s.paco").ok()) << name;
    EXPECT_EQ(saved(*restored), saved(*f.method)) << name;
    EXPECT_EQ(restored->digest().value(), f.method->digest().value()) << name;
    ASSERT_TRUE(restored->decide(f.data.stream[0]).ok());
    EXPECT_NE(restored->digest().value(), f.method->digest().value()) << name;
  }
}

// Edits that people's operations are made of survive the file, whatever they were.
TEST(StateFile, NamesMergesPromotionsAndGapsComeBack) {
  for (const std::string name : {"paco", "reference", "leader"}) {
    SCOPED_TRACE(name);
    const Fixture f = after(60, name);
    const CategoryId first = 5, second = 6, next = f.method->categories().next();
    ASSERT_GE(next, 8) << "this test needs categories";
    using Cell = Edit::Cell;
    const auto edit = [](Cell cell, std::int64_t id, std::int64_t from, std::int64_t to) {
      Edit e;
      e.cell = cell;
      e.id = id;
      e.from = from;
      e.to = to;
      return e;
    };
    std::vector<Edit> edits{edit(Cell::name, 0, 0, 0),
                            edit(Cell::owner, first, first, second),
                            edit(Cell::forward, first, kNoId, second),
                            edit(Cell::reference, 7, 0, 1),
                            edit(Cell::retired, 1, 0, 1),
                            edit(Cell::category, next, 0, 1),
                            edit(Cell::category, next, 1, 0)};
    edits[0].to_text = "sand cat";
    edits[3].row = f.method->editor().direction(7);
    ASSERT_TRUE(f.method->editor().apply(edits, nullptr).ok());
    const auto restored = testing::method_for(name, f.model);
    const auto done = restored->restore(*f.method->save(), "s.paco");
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(saved(*restored), saved(*f.method));
    EXPECT_EQ(restored->categories().name(0), "sand cat");
    EXPECT_EQ(restored->categories().now(first), second);
    EXPECT_EQ(restored->categories().next(), next + 1);
    EXPECT_FALSE(restored->categories().has(next));
    EXPECT_TRUE(restored->prototype(7).reference);
    EXPECT_FALSE(restored->prototype(1).competing);
    EXPECT_EQ(restored->editor().reference_row(7), edits[3].row);
    const auto view = restored->view();
    EXPECT_EQ(view->known, f.model->known_classes() + 1);
    EXPECT_EQ(view->info(second).prototypes, (std::vector<PrototypeId>{first, second}));
    EXPECT_TRUE(testing::same_decisions(testing::decide_all(*restored, f.data.stream, 9),
                                        testing::decide_all(*f.method, f.data.stream, 20)));
  }
}

TEST(StateFile, IsRestoredIntoAFreshMethodOnly) {
  const TemporaryFolder folder;
  for (const std::string& name : method_names()) {
    const Fixture f = after(20, name);
    const std::string bytes = saved(*f.method);
    testing::write_bytes(folder / "s.paco", bytes);
    const auto restored = f.method->restore(folder / "s.paco");
    ASSERT_FALSE(restored.ok()) << name;
    EXPECT_THAT(restored.error().message, HasSubstr("already decided on 20 samples"));
    EXPECT_EQ(saved(*f.method), bytes) << name;
  }
}

TEST(StateFile, AModelIsNoState) {
  const TemporaryFolder folder;
  const Fixture f = after(5);
  ASSERT_TRUE(save_model(*f.model, folder / "m.paco").ok());
  const auto restored = testing::method_for("paco", f.model)->restore(folder / "m.paco");
  ASSERT_FALSE(restored.ok());
  EXPECT_THAT(restored.error().message, HasSubstr("this is a paco model, not a state"));
}

TEST(StateFile, DamageLeavesTheMethodAsItWas) {
  const TemporaryFolder folder;
  const Fixture f = after(12);
  const std::string good = saved(*f.method);
  const auto fresh = testing::method_for("paco", f.model);
  const std::string empty = saved(*fresh);
  testing::for_every_damage(
      good, folder / "bad.paco", [&](const std::string& path, const std::string& what) {
        const auto method = testing::method_for("paco", f.model);
        const auto restored = method->restore(path);
        EXPECT_EQ(saved(*method), restored.ok() ? good : empty) << what;
        if (!restored.ok()) {
          EXPECT_THAT(restored.error().message, HasSubstr("bad.paco")) << what;
        }
      });
}

// A file whose checksum is right and whose numbers are not: from a program gone wrong.
TEST(StateFile, ContradictionsAreFoundAndLeaveTheMethodAsItWas) {
  const Fixture f = after(40);
  const auto fresh = testing::method_for("paco", f.model);
  const std::string empty = saved(*fresh);
  ASSERT_GE(f.method->view()->discovered, 2u) << "this test needs categories";
  // Read anew for every change: copies of categories share what they hold.
  const auto with = [&](auto change) {
    State s = state_from_bytes(*f.method->save(), "s.paco", *fresh).value();
    change(s);
    const auto restored = fresh->restore(*state_to_bytes(s, *fresh, ""), "s.paco");
    EXPECT_EQ(saved(*fresh), empty);
    if (restored.ok()) return std::string("it was accepted");
    EXPECT_EQ(restored.error().code, ErrorCode::bad_format);
    return restored.error().message;
  };
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const auto tensor = [](State& s, const char* name) -> std::vector<std::int64_t>& {
    return std::get<std::vector<std::int64_t>>(s.own.tensors[name].values);
  };
  EXPECT_THAT(with([](State& s) { ++s.samples; }), HasSubstr("counts 41 samples but holds 40"));
  EXPECT_THAT(with([](State& s) { s.samples = ~0ull; }), HasSubstr("impossible number"));
  EXPECT_THAT(with([](State& s) { --s.prototypes.edit(6).members; }),
              HasSubstr("counts 40 samples but holds 39"));
  EXPECT_THAT(with([&](State& s) { s.prototypes.edit(6).members = kHuge; }),
              HasSubstr("impossible value"));
  EXPECT_THAT(with([](State& s) { s.prototypes.edit(6).members = 41; }),
              HasSubstr("prototype 6 has an impossible size"));
  EXPECT_THAT(with([](State& s) { s.prototypes.edit(2).members = 0; }),
              HasSubstr("prototype 2 has an impossible size"));
  EXPECT_THAT(with([](State& s) { s.prototypes.edit(2).promoted = true; }),
              HasSubstr("prototype 2"));
  EXPECT_THAT(with([](State& s) { s.prototypes.edit(2).counted = -1; }),
              HasSubstr("impossible value -1"));
  EXPECT_THAT(with([](State& s) { s.prototypes.edit(6).birth = 41; }),
              HasSubstr("impossible value 41"));
  EXPECT_THAT(with([](State& s) { s.prototypes.edit(6).promoted = true; }), HasSubstr("'rows'"));
  EXPECT_THAT(with([](State& s) { s.prototypes.edit(2).exists = false; }),
              HasSubstr("out of order"));
  EXPECT_THAT(with([](State& s) { s.categories.edit(5).prototypes.clear(); }),
              HasSubstr("prototype 5 has no owner"));
  EXPECT_THAT(with([](State& s) {
                s.categories.edit(5).prototypes = {5, 6};
              }),
              HasSubstr("prototype 6 has no owner or several"));
  EXPECT_THAT(with([](State& s) { s.categories.edit(5).prototypes = {77}; }),
              HasSubstr("impossible value 77"));
  EXPECT_THAT(with([](State& s) { s.categories.edit(5).forward = 5; }),
              HasSubstr("forwards to nowhere"));
  EXPECT_THAT(with([](State& s) { s.categories.edit(5).forward = 6; }),
              HasSubstr("category 5 was merged away and owns prototypes"));
  EXPECT_THAT(with([](State& s) { ++s.categories.edit(5).answered; }),
              HasSubstr("answers do not add up"));
  EXPECT_THAT(with([](State& s) { s.categories.edit(2).exists = false; }),
              HasSubstr("prototype 2 has no owner"));
  EXPECT_THAT(with([](State& s) {
                std::get<std::vector<double>>(s.own.tensors["sums"].values)[0] = std::nan("");
              }),
              HasSubstr("not finite"));
  EXPECT_THAT(with([](State& s) { s.own.tensors.erase("sums"); }), HasSubstr("'sums'"));
  EXPECT_THAT(with([&](State& s) { ++tensor(s, "branches")[0]; }), HasSubstr("do not add up"));
  EXPECT_THAT(with([&](State& s) { tensor(s, "routes")[2] = -1; }), HasSubstr("do not add up"));
  EXPECT_THAT(with([](State& s) { s.own.numbers["lowest_tau_birth"] = HUGE_VAL; }),
              HasSubstr("lowest_tau_birth"));
  EXPECT_TRUE(fresh->restore(*f.method->save(), "s.paco").ok()) << "the unchanged one is fine";
  EXPECT_EQ(saved(*fresh), saved(*f.method));
}

}  // namespace
}  // namespace paco::methods
