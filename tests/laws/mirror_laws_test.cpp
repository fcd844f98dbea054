// Laws of mirror over random data: the engine is the plain rule, whatever the block, the number of
// threads and the instruction set; stopping and going on changes nothing; operations mean the same
// in both and can be undone to the bit.
#include <gtest/gtest.h>

#include <set>

#include "mirror/rule.hpp"
#include "mirror_case.hpp"
#include "unit/linalg/targets.hpp"

namespace paco::testing {
namespace {

constexpr std::uint64_t kSeeds = 60;

TEST(MirrorLaws, TheEngineDecidesAsThePlainRuleForEveryBlockSize) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorPlain plain(c.model);
    const MirrorRun expected = run_mirror(plain, c.stream, 1000);
    for (const std::size_t block : {1, 2, 7, 64, 1000}) {
      MirrorEngine engine(c.model);
      ASSERT_TRUE(same_runs(expected, run_mirror(engine, c.stream, block))) << "block " << block;
      ASSERT_EQ(engine.save(), plain.state()) << "block " << block;
    }
  }
}

TEST(MirrorLaws, ThreadsChangeNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; seed += 10) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorEngine one(c.model, 1), three(c.model, 3);
    ASSERT_TRUE(same_runs(run_mirror(one, c.stream, 256), run_mirror(three, c.stream, 256)));
    ASSERT_EQ(one.save(), three.save());
  }
}

TEST(MirrorLaws, InstructionSetsChangeNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; seed += 6) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorPlain plain(c.model);
    const MirrorRun expected = run_mirror(plain, c.stream, 1000);
    for_every_target([&] {
      MirrorEngine engine(c.model);
      ASSERT_TRUE(same_runs(expected, run_mirror(engine, c.stream, 33)));
    });
  }
}

TEST(MirrorLaws, SavingAndGoingOnElsewhereChangesNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorEngine whole(c.model);
    const MirrorRun expected = run_mirror(whole, c.stream, 16);
    Random random(seed, 11);
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::size_t cut = random.below(c.stream.rows() + 1);
      MirrorEngine before(c.model), after(c.model);
      MirrorRun run = run_mirror(before, c.stream.view().slice(0, cut), 16);
      // What the second engine knew before is forgotten.
      run_mirror(after, c.stream.view().slice(0, c.stream.rows() / 3), 5);
      const auto restored = after.restore(before.save());
      ASSERT_TRUE(restored.ok()) << restored.error().message;
      const MirrorRun rest =
          run_mirror(after, c.stream.view().slice(cut, c.stream.rows() - cut), 9);
      run.decisions.insert(run.decisions.end(), rest.decisions.begin(), rest.decisions.end());
      run.births.insert(run.births.end(), rest.births.begin(), rest.births.end());
      ASSERT_TRUE(same_runs(expected, run)) << "cut at " << cut;
      ASSERT_EQ(after.save(), whole.save()) << "cut at " << cut;
    }
  }
}

TEST(MirrorLaws, NumbersAreGivenInOrderAndNeverAgain) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorEngine engine(c.model);
    const MirrorRun run = run_mirror(engine, c.stream, 64);
    auto next = static_cast<std::int64_t>(c.model->known());
    std::set<std::int64_t> born;
    for (const MirrorBirth& birth : run.births) {
      EXPECT_EQ(birth.category, next++);
      EXPECT_TRUE(born.insert(birth.prototype).second);
    }
    for (const MirrorDecision& d : run.decisions) {
      EXPECT_LT(d.category, next);
      EXPECT_LE(d.threshold, c.model->start);
      EXPECT_LE(d.candidates, static_cast<std::uint64_t>(c.model->options.candidates));
      EXPECT_EQ(d.verdict == MirrorVerdict::known,
                d.category < static_cast<std::int64_t>(c.model->known()) &&
                    d.verdict != MirrorVerdict::tentative);
    }
  }
}

TEST(MirrorLaws, EverySumIsThatOfItsMembers) {
  // Without a limit on the buffer every sample's place is known at the end.
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorModel model = *c.model;
    model.options.buffer = 1000;
    model.options.rehearse = 2;
    model.options.candidates = 1000;
    MirrorEngine engine(std::make_shared<const MirrorModel>(model));
    run_mirror(engine, c.stream, 64);
    const MirrorState state = engine.save();
    const std::size_t d = model.dimension();
    for (const MirrorPrototype& p : state.prototypes) {
      std::vector<double> sum(d, 0.0);
      std::int64_t members = 0;
      for (std::size_t i = 0; i < state.stored_prototype.size(); ++i) {
        if (state.stored_prototype[i] != p.number) continue;
        ++members;
        for (std::size_t j = 0; j < d; ++j) sum[j] += static_cast<double>(state.stored[i * d + j]);
      }
      ASSERT_EQ(members, p.members);
      for (std::size_t j = 0; j < d; ++j) ASSERT_NEAR(sum[j], p.sum[j], 1e-12);
    }
  }
}

// The same operations on a plain state, written down directly.
void apply_to_state(MirrorState& state, int kind, std::int64_t number, std::size_t known) {
  if (kind == 2) return;
  if (number < static_cast<std::int64_t>(known)) {
    const auto k = static_cast<std::size_t>(number);
    if (kind == 0) state.reference_competing[k] = state.reference_competing[k] == 0 ? 1 : 0;
    if (kind == 1) state.reference_categories[k] = 0;
    return;
  }
  for (MirrorPrototype& p : state.prototypes) {
    if (p.number != number) continue;
    if (kind == 0) p.competing = !p.competing;
    if (kind == 1) p.category = 0;
  }
}

TEST(MirrorLaws, OperationsMeanTheSameInThePlainRuleAndTheEngine) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorPlain plain(c.model);
    MirrorEngine engine(c.model);
    Random random(seed, 13);
    for (std::size_t start = 0; start < c.stream.rows(); start += 20) {
      const auto rows =
          c.stream.view().slice(start, std::min<std::size_t>(20, c.stream.rows() - start));
      ASSERT_TRUE(same_runs(run_mirror(plain, rows, 20), run_mirror(engine, rows, 7)));
      const std::size_t known = c.model->known();
      const std::size_t count = known + plain.state().prototypes.size();
      const std::size_t which = random.below(count);
      const std::int64_t number = which < known ? static_cast<std::int64_t>(which)
                                                : plain.state().prototypes[which - known].number;
      const int kind = static_cast<int>(random.below(3));
      const bool competes = which < known ? plain.state().reference_competing[which] != 0
                                          : plain.state().prototypes[which - known].competing;
      const auto done = kind == 0   ? engine.set_competing(number, !competes)
                        : kind == 1 ? engine.set_category(number, 0)
                                    : Result<void>();
      ASSERT_TRUE(done.ok()) << done.error().message;
      apply_to_state(plain.state(), kind, number, known);
      ASSERT_EQ(engine.save(), plain.state());
    }
  }
}

TEST(MirrorLaws, AMoveIsUndoneToTheBit) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    MirrorEngine engine(c.model);
    run_mirror(engine, c.stream, 64);
    const MirrorState before = engine.save();
    if (before.prototypes.size() < 2 || before.stored_prototype.empty()) continue;
    const std::size_t d = c.model->dimension();
    const std::uint64_t sequence = before.samples - 1;
    const std::span<const float> v(before.stored.data() + before.stored.size() - d, d);
    const std::int64_t from = before.stored_prototype.back();
    const MirrorPrototype& target = before.prototypes.front();
    const auto source = engine.prototype(from);  // none where it is a reference
    if (target.category == kNoCategory || target.number == from) continue;
    ASSERT_TRUE(engine.move(sequence, v, from, target.number).ok());
    EXPECT_EQ(engine.save().stored_prototype.back(), target.number);
    EXPECT_EQ(engine.prototype(target.number)->members, target.members + 1);
    ASSERT_TRUE(engine.put_back(target).ok());
    ASSERT_TRUE(!source.ok() || engine.put_back(*source).ok());
    ASSERT_TRUE(engine.refile(sequence, from).ok());
    EXPECT_EQ(engine.save(), before);
  }
}

}  // namespace
}  // namespace paco::testing
