// Laws of mirror over random data: the fast form is the plain one, whatever the block, the number
// of threads and the instruction set; stopping and going on changes nothing; operations mean the
// same in both forms and can be undone to the bit.
#include <gtest/gtest.h>

#include <set>

#include "methods/mirror/mirror_evidence.hpp"
#include "mirror_case.hpp"
#include "unit/math/targets.hpp"

namespace paco::testing {
namespace {

constexpr std::uint64_t kSeeds = 60;

TEST(MirrorLaws, TheFastFormDecidesAsThePlainOneForEveryBlockSize) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto plain = c.plain();
    const auto expected = decide_all(*plain, c.stream, 1000);
    for (const std::size_t block : {1, 2, 7, 64, 1000}) {
      const auto fast = c.fast();
      ASSERT_TRUE(same_decisions(expected, decide_all(*fast, c.stream, block)))
          << "block " << block;
      ASSERT_EQ(content_of(*fast), content_of(*plain)) << "block " << block;
    }
  }
}

TEST(MirrorLaws, ThreadsChangeNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; seed += 10) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto one = c.fast(1), three = c.fast(3);
    ASSERT_TRUE(same_decisions(decide_all(*one, c.stream, 256), decide_all(*three, c.stream, 256)));
    ASSERT_EQ(one->save().value(), three->save().value());
  }
}

TEST(MirrorLaws, InstructionSetsChangeNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; seed += 6) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto expected = decide_all(*c.plain(), c.stream, 1000);
    for_every_target(
        [&] { ASSERT_TRUE(same_decisions(expected, decide_all(*c.fast(), c.stream, 33))); });
  }
}

// Where samples are whitened in whole numbers.
TEST(MirrorLaws, InManyDimensionsTooTheFastFormIsThePlainOneOnEveryInstructionSet) {
  MadePlan plan;
  plan.dimension = methods::kWhitenedInShorts + 3;
  plan.stream = 70;
  const SyntheticData data = make_data(plan, 1);
  methods::MirrorOptions options;
  options.splits = 2;
  const auto learned = learned_from(data.support, data.labels, options);
  ASSERT_NE(learned, nullptr);
  ASSERT_GT(learned->embedding.whitening.rows(), 0u);
  const auto model = model_with(*learned, data.support, data.labels);
  const auto expected = decide_all(*method_for("mirror-reference", model), data.stream, 1000);
  for_every_target([&] {
    for (const std::size_t block : {1, 64}) {
      const auto fast = method_for("mirror", model, 2);
      ASSERT_TRUE(same_decisions(expected, decide_all(*fast, data.stream, block))) << block;
    }
  });
}

TEST(MirrorLaws, SavingAndGoingOnElsewhereChangesNothing) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto whole = c.fast();
    const auto expected = decide_all(*whole, c.stream, 16);
    core::Random random(seed, 11);
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::size_t cut = random.below(c.stream.rows() + 1);
      const auto before = c.fast(), after = c.fast();
      auto run = decide_all(*before, c.stream.view().slice(0, cut), 16);
      const auto restored = after->restore(before->save().value(), "state");
      ASSERT_TRUE(restored.ok()) << restored.error().message;
      ASSERT_EQ(after->save().value(), before->save().value());
      const auto rest = decide_all(*after, c.stream.view().slice(cut, c.stream.rows() - cut), 9);
      run.insert(run.end(), rest.begin(), rest.end());
      ASSERT_TRUE(same_decisions(expected, run)) << "cut at " << cut;
      ASSERT_EQ(after->save().value(), whole->save().value()) << "cut at " << cut;
    }
  }
}

TEST(MirrorLaws, NumbersAreGivenInOrderAndNeverAgain) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto known = static_cast<CategoryId>(c.learned.known());
    const auto fast = c.fast();
    const auto run = decide_all(*fast, c.stream, 64);
    const Categories& categories = fast->categories();
    std::set<PrototypeId> born;
    for (CategoryId id = known; id < categories.next(); ++id) {
      ASSERT_EQ(categories[id].prototypes.size(), 1u);
      EXPECT_TRUE(born.insert(categories[id].prototypes[0]).second);
      if (id > known) {
        EXPECT_LE(categories[id - 1].birth, categories[id].birth);
      }
    }
    for (const Decision& d : run) {
      EXPECT_LT(d.category, categories.next());
      EXPECT_LE(d.threshold, c.learned.start);
      EXPECT_LE(d.evidence[methods::kCandidates], c.learned.options.candidates);
      EXPECT_EQ(d.verdict == Verdict::known, d.category < known && d.verdict != Verdict::tentative);
    }
  }
}

TEST(MirrorLaws, EverySumIsThatOfItsMembers) {
  // With a buffer for all of them every sample's place is known at the end.
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    MirrorCase c = mirror_case(seed);
    c.learned.options.buffer = c.learned.options.candidates = 1000;
    c.learned.options.rehearse = 2;
    c.make_model();
    const auto fast = c.fast();
    decide_all(*fast, c.stream, 64);
    const StateContent state = content_of(*fast);
    const auto& filed = state.values<std::int64_t>("own/stored_prototype");
    const auto& counted = state.values<std::int64_t>("own/stored_counted");
    const auto& stored = state.values<float>("own/stored");
    const auto& ids = state.values<std::int64_t>("prototype.id");
    const auto& sizes = state.values<std::int64_t>("prototype.members");
    const auto& sums = state.values<double>("own/sums");
    const std::size_t d = c.stream.columns();
    std::size_t row = 0;
    for (std::size_t p = c.learned.known(); p < ids.size(); ++p) {
      if (sizes[p] == 0) continue;
      std::vector<double> sum(d, 0.0);
      std::int64_t members = 0;
      for (std::size_t i = 0; i < filed.size(); ++i) {
        if (filed[i] != ids[p] || counted[i] != 0) continue;
        ++members;
        for (std::size_t j = 0; j < d; ++j) sum[j] += static_cast<double>(stored[i * d + j]);
      }
      ASSERT_EQ(members, sizes[p]);
      for (std::size_t j = 0; j < d; ++j) ASSERT_EQ(sum[j], sums[row * d + j]);
      ++row;
    }
    ASSERT_EQ(row * d, sums.size());
  }
}

// Some operation, chosen by the numbers drawn; the same numbers mean the same in both forms. False
// if they mean none.
bool random_operation(Method& method, std::span<const Decision> decided, MemberSource& members,
                      core::Random& random) {
  using Cell = Edit::Cell;
  const auto known = static_cast<CategoryId>(method.categories().known_classes());
  const auto category =
      static_cast<CategoryId>(random.below(static_cast<std::size_t>(method.categories().next())));
  const auto prototype =
      static_cast<PrototypeId>(random.below(static_cast<std::size_t>(method.next_prototype())));
  const std::uint64_t sequence = random.below(decided.size());
  const auto kind = random.below(5);
  const PrototypeRole role = method.editor().role(prototype);
  std::vector<Edit> edits;
  if (kind == 0 && category > 1) {
    const bool retired = method.categories()[category].retired;
    edits = {edit_of(Cell::retired, category, retired, !retired)};
  } else if (kind == 1 && role.owner > 0) {
    edits = {edit_of(Cell::owner, prototype, role.owner, 0)};
  } else if (kind == 2 && prototype >= known && role.owner != kNoId) {
    edits = {edit_of(Cell::reference, prototype, role.promoted, !role.promoted)};
    edits[0].row = method.editor().direction(0);
  } else if (kind > 2 && role.owner != kNoId) {
    const Decision& d = decided[sequence];
    const auto from = method.editor().place(sequence, d.prototype, d.counted);
    if (!from.ok() || from->first == prototype) return false;
    edits = {move_of(method, sequence, d.prototype, d.counted, prototype)};
  }
  if (edits.empty()) return false;
  const auto applied = method.editor().apply(edits, &members);
  EXPECT_TRUE(applied.ok()) << applied.error().message;
  return true;
}

TEST(MirrorLaws, OperationsMeanTheSameInBothForms) {
  std::size_t done = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto plain = c.plain(), fast = c.fast();
    StreamMembers members(c.stream);
    core::Random random(seed, 13), same(seed, 13);
    std::vector<Decision> decided;
    for (std::size_t start = 0; start < c.stream.rows(); start += 20) {
      const auto rows =
          c.stream.view().slice(start, std::min<std::size_t>(20, c.stream.rows() - start));
      const auto expected = decide_all(*plain, rows, 20);
      ASSERT_TRUE(same_decisions(expected, decide_all(*fast, rows, 7)));
      decided.insert(decided.end(), expected.begin(), expected.end());
      for (int i = 0; i < 3; ++i) {
        const bool changed = random_operation(*plain, decided, members, random);
        ASSERT_EQ(random_operation(*fast, decided, members, same), changed);
        done += changed;
        ASSERT_EQ(content_of(*fast), content_of(*plain));
      }
    }
  }
  EXPECT_GT(done, 100u);
}

TEST(MirrorLaws, AViewShowsEveryPrototypeAsItIs) {
  const auto same = [](const Prototype& a, const Prototype& b) {
    const bool lengths = a.resultant_length == b.resultant_length ||
                         (std::isnan(a.resultant_length) && std::isnan(b.resultant_length));
    return lengths && a.owner == b.owner && a.reference == b.reference &&
           a.competing == b.competing && a.members == b.members && a.counted == b.counted;
  };
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto fast = c.fast();
    StreamMembers members(c.stream);
    core::Random random(seed, 14);
    std::vector<Decision> decided;
    const auto look = [&] {
      const auto view = fast->view();
      ASSERT_EQ(static_cast<PrototypeId>(view->prototypes.size()), fast->next_prototype());
      for (PrototypeId id = 0; id < fast->next_prototype(); ++id)
        ASSERT_TRUE(same(view->prototypes[static_cast<std::size_t>(id)], fast->prototype(id)))
            << "prototype " << id;
    };
    for (std::size_t start = 0; start < c.stream.rows(); start += 20) {
      const auto rows =
          c.stream.view().slice(start, std::min<std::size_t>(20, c.stream.rows() - start));
      const auto some = decide_all(*fast, rows, 7);
      decided.insert(decided.end(), some.begin(), some.end());
      ASSERT_NO_FATAL_FAILURE(look());
      for (int i = 0; i < 3; ++i) random_operation(*fast, decided, members, random);
      ASSERT_NO_FATAL_FAILURE(look());
    }
  }
}

TEST(MirrorLaws, AMoveIsTakenBackToTheBit) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const MirrorCase c = mirror_case(seed);
    const auto fast = c.fast();
    const Decision last = decide_all(*fast, c.stream, 64).back();
    StreamMembers members(c.stream);
    const auto before = fast->save().value();
    for (PrototypeId to = 0; to < fast->next_prototype(); ++to) {
      const PrototypeRole aim = fast->editor().role(to);
      if (aim.owner == kNoId || aim.members + aim.counted == 0) continue;
      Edit edit = move_of(*fast, last.sequence, last.prototype, last.counted, to);
      if (edit.from == to) continue;
      ASSERT_TRUE(fast->editor().apply({&edit, 1}, &members).ok());
      EXPECT_EQ(*fast->editor().place(last.sequence, last.prototype, last.counted),
                std::pair(to, edit.to_counted));
      ASSERT_NE(fast->save().value(), before);
      edit = edit.inverse();
      ASSERT_TRUE(fast->editor().apply({&edit, 1}, &members).ok());
      ASSERT_EQ(fast->save().value(), before) << "to prototype " << to;
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
    if (c.learned.options.rehearse == 0) continue;
    const auto fast = c.fast();
    const std::size_t half = c.stream.rows() / 2;
    const Decision last = decide_all(*fast, c.stream.view().slice(0, half), 64).back();
    const auto from = fast->editor().place(last.sequence, last.prototype, last.counted);
    const PrototypeId to = from->first == 0 ? 1 : 0;
    StreamMembers members(c.stream);
    const Edit edit = move_of(*fast, last.sequence, last.prototype, last.counted, to);
    ASSERT_TRUE(fast->editor().apply({&edit, 1}, &members).ok());
    decide_all(*fast, c.stream.view().slice(half, c.stream.rows() - half), 64);
    EXPECT_EQ(*fast->editor().place(last.sequence, last.prototype, last.counted),
              std::pair(to, true));
    ++tried;
  }
  EXPECT_GT(tried, 20u);
}

}  // namespace
}  // namespace paco::testing
