// States on disk: refused where they do not belong or contradict themselves, and then the method is
// as it was.
#include "discover/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/files.hpp"
#include "damaged_file.hpp"
#include "made_data.hpp"
#include "temporary_folder.hpp"

namespace paco {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

struct Fixture {
  testing::MadeData data;
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

TEST(Snapshot, OfAnotherMethodIsRefused) {
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
    EXPECT_EQ(other->stats().samples, 0u);
  }
}

TEST(Snapshot, OfAnotherModelIsRefused) {
  const TemporaryFolder folder;
  const Fixture f = after(20);
  testing::write_bytes(folder / "s.paco", saved(*f.method));
  Model changed = *f.model;
  changed.tau_lo += 1e-9;
  const auto other = testing::method_for("paco", std::make_shared<const Model>(changed));
  const std::string before = saved(*other);
  const auto restored = other->restore(folder / "s.paco");
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::mismatch);
  EXPECT_THAT(restored.error().message, HasSubstr(f.model->fingerprint()));
  EXPECT_EQ(saved(*other), before);
}

TEST(Snapshot, IsRestoredIntoAFreshMethodOnly) {
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

TEST(Snapshot, AModelIsNoState) {
  const TemporaryFolder folder;
  const Fixture f = after(5);
  ASSERT_TRUE(save_model(*f.model, folder / "m.paco").ok());
  const auto restored = testing::method_for("paco", f.model)->restore(folder / "m.paco");
  ASSERT_FALSE(restored.ok());
  EXPECT_THAT(restored.error().message, HasSubstr("this is a paco model, not a state"));
}

TEST(Snapshot, DamageLeavesTheMethodAsItWas) {
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
TEST(Snapshot, ContradictionsAreFound) {
  const TemporaryFolder folder;
  const Fixture f = after(40);
  ASSERT_TRUE(write_file(folder / "s.paco", *f.method->save()).ok());
  const auto good = load_snapshot(folder / "s.paco", "paco", *f.model);
  ASSERT_TRUE(good.ok()) << good.error().message;
  ASSERT_GE(good->sizes.size(), 2u) << "this test needs categories";
  const auto with = [&](auto change) {
    Snapshot s = *good;
    change(s);
    const auto bytes = snapshot_to_bytes(s, f.model->dimension);
    EXPECT_TRUE(bytes.ok());
    EXPECT_TRUE(write_file(folder / "s.paco", *bytes).ok());
    const auto loaded = load_snapshot(folder / "s.paco", "paco", *f.model);
    if (loaded.ok()) return std::string("it was accepted");
    EXPECT_EQ(loaded.error().code, ErrorCode::bad_format);
    return loaded.error().message;
  };
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(with([](Snapshot& s) { ++s.stats.samples; }),
              HasSubstr("counts 41 samples but holds 40"));
  EXPECT_THAT(with([](Snapshot& s) { s.stats.samples = ~0ull; }), HasSubstr("impossible number"));
  EXPECT_THAT(with([](Snapshot& s) { s.sizes[0] = 0; }), HasSubstr("category 0"));
  EXPECT_THAT(with([](Snapshot& s) { s.sizes[1] = kHuge; }), HasSubstr("category 1"));
  EXPECT_THAT(with([](Snapshot& s) { s.births[1] = s.births[0]; }), HasSubstr("category 1"));
  EXPECT_THAT(with([](Snapshot& s) { s.births.back() = 40; }),
              HasSubstr("impossible size or birth"));
  EXPECT_THAT(with([](Snapshot& s) { s.class_sizes[2] = 0; }), HasSubstr("class 2"));
  EXPECT_THAT(with([](Snapshot& s) { s.class_sizes[2] = kHuge; }), HasSubstr("class 2"));
  EXPECT_THAT(with([](Snapshot& s) { s.class_sizes.pop_back(); }),
              HasSubstr("do not fit together"));
  EXPECT_THAT(with([](Snapshot& s) { s.births.pop_back(); }), HasSubstr("do not fit together"));
  EXPECT_THAT(with([](Snapshot& s) { s.sums[0] = std::nan(""); }), HasSubstr("not finite"));
  EXPECT_THAT(with([](Snapshot& s) { ++s.stats.branches[0]; }), HasSubstr("do not add up"));
  EXPECT_THAT(with([](Snapshot& s) { s.stats.routes[2] = ~0ull; }), HasSubstr("do not add up"));
  EXPECT_THAT(with([](Snapshot& s) { s.stats.lowest_tau_birth = HUGE_VAL; }),
              HasSubstr("not finite"));
}

}  // namespace
}  // namespace paco
