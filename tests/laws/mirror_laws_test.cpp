// Laws of mirror over random data: the engine is the plain rule, whatever the block, the number of
// threads and the instruction set; stopping and going on changes nothing; operations mean the same
// in both and can be undone to the bit.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <tuple>

#include "core/try.hpp"
#include "methods/mirror/rule.hpp"
#include "mirror_case.hpp"
#include "unit/math/targets.hpp"

namespace paco::testing {
namespace {

constexpr std::uint64_t kSeeds = 60;

TEST(MirrorLaws, TheEngineDecidesAsThePlainRuleForEveryBlockSize) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorPlain plain(c.model);
    const MirrorRun expected = run_mirror(plain, c.stream, 1000);
    for (const std::size_t block : {1, 2, 7, 64, 1000}) {
      methods::MirrorEngine engine(c.model);
      ASSERT_TRUE(same_runs(expected, run_mirror(engine, c.stream, block))) << "block " << block;
      ASSERT_EQ(engine.save(), plain.save()) << "block " << block;
    }
  }
}

TEST(MirrorLaws, ThreadsChangeNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; seed += 10) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorEngine one(c.model, 1), three(c.model, 3);
    ASSERT_TRUE(same_runs(run_mirror(one, c.stream, 256), run_mirror(three, c.stream, 256)));
    ASSERT_EQ(one.save(), three.save());
  }
}

TEST(MirrorLaws, InstructionSetsChangeNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; seed += 6) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorPlain plain(c.model);
    const MirrorRun expected = run_mirror(plain, c.stream, 1000);
    for_every_target([&] {
      methods::MirrorEngine engine(c.model);
      ASSERT_TRUE(same_runs(expected, run_mirror(engine, c.stream, 33)));
    });
  }
}

// Where samples are whitened in whole numbers.
TEST(MirrorLaws, InManyDimensionsTooTheEngineIsThePlainRuleOnEveryInstructionSet) {
  MadePlan plan;
  plan.dimension = methods::kWhitenedInShorts + 3;
  plan.stream = 70;
  const SyntheticData data = make_data(plan, 1);
  methods::MirrorOptions options;
  options.splits = 2;
  const auto model = mirror_model(data.support, data.labels, options);
  ASSERT_NE(model, nullptr);
  ASSERT_GT(model->embedding.whitening.rows(), 0u);
  methods::MirrorPlain plain(model);
  const MirrorRun expected = run_mirror(plain, data.stream, 1000);
  for_every_target([&] {
    for (const std::size_t block : {1, 64}) {
      methods::MirrorEngine engine(model, 2);
      ASSERT_TRUE(same_runs(expected, run_mirror(engine, data.stream, block))) << block;
    }
  });
}

TEST(MirrorLaws, SavingAndGoingOnElsewhereChangesNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorEngine whole(c.model);
    const MirrorRun expected = run_mirror(whole, c.stream, 16);
    core::Random random(seed, 11);
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::size_t cut = random.below(c.stream.rows() + 1);
      methods::MirrorEngine before(c.model), after(c.model);
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
    methods::MirrorEngine engine(c.model);
    const MirrorRun run = run_mirror(engine, c.stream, 64);
    auto next = static_cast<std::int64_t>(c.model->known());
    std::set<std::int64_t> born;
    for (const methods::MirrorBirth& birth : run.births) {
      EXPECT_EQ(birth.category, next++);
      EXPECT_TRUE(born.insert(birth.prototype).second);
    }
    for (const methods::MirrorDecision& d : run.decisions) {
      EXPECT_LT(d.category, next);
      EXPECT_LE(d.threshold, c.model->start);
      EXPECT_LE(d.candidates, static_cast<std::uint64_t>(c.model->options.candidates));
      EXPECT_EQ(d.verdict == methods::MirrorVerdict::known,
                d.category < static_cast<std::int64_t>(c.model->known()) &&
                    d.verdict != methods::MirrorVerdict::tentative);
    }
  }
}

TEST(MirrorLaws, EverySumIsThatOfItsMembers) {
  // Without a limit on the buffer every sample's place is known at the end.
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorModel model = *c.model;
    model.options.buffer = 1000;
    model.options.rehearse = 2;
    model.options.candidates = 1000;
    methods::MirrorEngine engine(std::make_shared<const methods::MirrorModel>(model));
    run_mirror(engine, c.stream, 64);
    const methods::MirrorState state = engine.save();
    const std::size_t d = model.dimension();
    for (const methods::MirrorPrototype& p : state.prototypes) {
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

// Some operation on a decider, chosen by the numbers drawn; the same numbers mean the same in both
// forms.
Result<void> random_operation(methods::MirrorDecider& decider, Rows<const double> stream,
                              core::Random& random) {
  const auto next = static_cast<std::size_t>(decider.next_prototype());
  const auto number = static_cast<std::int64_t>(random.below(next + 1));
  const auto other = static_cast<std::int64_t>(random.below(next));
  const std::uint64_t sequence = random.below(static_cast<std::size_t>(decider.samples()));
  const auto kind = random.below(5);
  const auto facts = decider.facts(number);
  if (kind == 0) return decider.set_competing(number, !facts || !facts->competing);
  if (kind == 1) return decider.set_category(number, 0);
  if (kind == 2) {
    const auto row = decider.direction(0);
    const auto known = static_cast<std::int64_t>(decider.save().answered.size());
    return number < known || (facts && facts->fixed) ? decider.loosen(number)
                                                     : decider.fix(number, row, {0, true});
  }
  const auto from = decider.place(sequence);
  const auto to = decider.facts(other);
  if (!from || (to && to->category == methods::kNoCategory)) return {};
  PACO_ASSIGN(const math::Matrix<float> v, decider.embed(stream.slice(sequence, 1)));
  const methods::MirrorPlace old{from->prototype, from->counted || !decider.facts(from->prototype)};
  return decider.move(sequence, v[0], old, {other, to && to->fixed}, {0, true});
}

TEST(MirrorLaws, OperationsMeanTheSameInThePlainRuleAndTheEngine) {
  std::size_t done = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorPlain plain(c.model);
    methods::MirrorEngine engine(c.model);
    core::Random random(seed, 13), same(seed, 13);
    for (std::size_t start = 0; start < c.stream.rows(); start += 20) {
      const auto rows =
          c.stream.view().slice(start, std::min<std::size_t>(20, c.stream.rows() - start));
      ASSERT_TRUE(same_runs(run_mirror(plain, rows, 20), run_mirror(engine, rows, 7)));
      for (int i = 0; i < 3; ++i) {
        const auto a = random_operation(plain, c.stream, random);
        const auto b = random_operation(engine, c.stream, same);
        ASSERT_EQ(a.ok(), b.ok());
        ++(a.ok() ? done : refused);
        ASSERT_EQ(engine.save(), plain.save());
      }
    }
  }
  EXPECT_GT(done, 100u);
  EXPECT_GT(refused, 100u);
}

TEST(MirrorLaws, WhatIsNotNamedAsChangedIsAsItWas) {
  using Facts = methods::MirrorDecider::Facts;
  const auto numbers = [](const Facts& f) {
    return std::tuple(f.category, f.members, f.counted, f.competing, f.fixed, f.length);
  };
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorEngine engine(c.model);
    core::Random random(seed, 14);
    std::vector<std::optional<Facts>> seen;
    const auto look = [&] {
      seen.resize(static_cast<std::size_t>(engine.next_prototype()));
      for (const std::int64_t number : engine.take_changed()) {
        if (static_cast<std::size_t>(number) < seen.size())
          seen[static_cast<std::size_t>(number)] = engine.facts(number);
      }
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto now = engine.facts(static_cast<std::int64_t>(i));
        ASSERT_EQ(now.has_value(), seen[i].has_value()) << "prototype " << i;
        if (now) ASSERT_EQ(numbers(*now), numbers(*seen[i])) << "prototype " << i;
      }
    };
    const methods::MirrorState first = engine.save();
    for (std::size_t start = 0; start < c.stream.rows(); start += 20) {
      const auto rows =
          c.stream.view().slice(start, std::min<std::size_t>(20, c.stream.rows() - start));
      run_mirror(engine, rows, 7);
      ASSERT_NO_FATAL_FAILURE(look());
      for (int i = 0; i < 3; ++i) static_cast<void>(random_operation(engine, c.stream, random));
      ASSERT_NO_FATAL_FAILURE(look());
    }
    ASSERT_TRUE(engine.restore(first).ok());
    ASSERT_NO_FATAL_FAILURE(look());
  }
}

TEST(MirrorLaws, AMoveIsTakenBackToTheBit) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    methods::MirrorEngine engine(c.model);
    run_mirror(engine, c.stream, 64);
    const methods::MirrorState before = engine.save();
    for (const std::int64_t number : before.stored_prototype) {
      const std::uint64_t sequence = before.samples - 1;
      const auto aim = engine.facts(number);  // nobody: a candidate that was dropped
      if (!aim || aim->category == methods::kNoCategory) continue;
      const methods::MirrorPlace from = *engine.place(sequence), to{number, aim->fixed};
      const auto left = engine.facts(from.prototype);
      if (!left || to == from) continue;
      const auto v = engine.embed(c.stream.view().slice(sequence, 1));
      ASSERT_TRUE(engine.move(sequence, (*v)[0], from, to, {}).ok());
      EXPECT_EQ(*engine.place(sequence), to);
      ASSERT_TRUE(engine.move(sequence, (*v)[0], to, from, {left->category, true}).ok());
      ASSERT_EQ(engine.save(), before);
      ++tried;
    }
  }
  EXPECT_GT(tried, 100u);
}

TEST(MirrorLaws, RehearsalPassesOverWhatAPersonHasMoved) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    if (c.model->options.rehearse == 0) continue;
    methods::MirrorEngine engine(c.model);
    const std::size_t half = c.stream.rows() / 2;
    run_mirror(engine, c.stream.view().slice(0, half), 64);
    const std::uint64_t sequence = half - 1;
    const methods::MirrorPlace from = *engine.place(sequence),
                               to{from.prototype == 0 ? 1 : 0, true};
    const auto v = engine.embed(c.stream.view().slice(sequence, 1));
    ASSERT_TRUE(engine.move(sequence, (*v)[0], from, to, {}).ok());
    run_mirror(engine, c.stream.view().slice(half, c.stream.rows() - half), 64);
    EXPECT_EQ(*engine.place(sequence), to);
    ++tried;
  }
  EXPECT_GT(tried, 20u);
}

}  // namespace
}  // namespace paco::testing
