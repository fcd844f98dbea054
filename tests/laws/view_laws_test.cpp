// What a view of the memory promises, for every method: it agrees with plain counting, stays as it
// was while the method goes on, and costs what has changed rather than what there is.
#include <gtest/gtest.h>

#include <cmath>

#include "laws/discover_case.hpp"
#include "math/plain.hpp"
#include "methods/common/standardise.hpp"

namespace paco {
namespace {

using testing::decide_all;
using testing::law_case;
using testing::LawCase;
using testing::method_for;

::testing::AssertionResult same_prototype(const Prototype& a, const Prototype& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  if (a.owner == b.owner && a.reference == b.reference && a.competing == b.competing &&
      a.members == b.members && a.counted == b.counted && a.birth == b.birth &&
      same(a.resultant_length, b.resultant_length)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << "owner " << a.owner << " / " << b.owner << ", members " << a.members << " / "
         << b.members << ", counted " << a.counted << " / " << b.counted << ", length "
         << a.resultant_length << " / " << b.resultant_length;
}

// All that a view tells, apart from the view.
struct Told {
  std::uint64_t samples = 0;
  std::size_t known = 0, discovered = 0;
  std::vector<CategoryInfo> categories;
  std::vector<Prototype> prototypes;
};

Told told_by(const MemoryView& view) {
  Told told{view.samples, view.known, view.discovered, {}, {}};
  for (CategoryId id = 0; id < view.categories.next(); ++id)
    told.categories.push_back(view.info(id));
  for (std::size_t p = 0; p < view.prototypes.size(); ++p)
    told.prototypes.push_back(view.prototypes[p]);
  return told;
}

void expect_same(const Told& a, const Told& b) {
  ASSERT_EQ(a.samples, b.samples);
  ASSERT_EQ(a.known, b.known);
  ASSERT_EQ(a.discovered, b.discovered);
  ASSERT_EQ(a.categories.size(), b.categories.size());
  for (std::size_t i = 0; i < a.categories.size(); ++i) {
    const CategoryInfo &x = a.categories[i], &y = b.categories[i];
    ASSERT_EQ(x.name, y.name);
    ASSERT_EQ(x.size, y.size) << x.name;
    ASSERT_EQ(x.answered, y.answered) << x.name;
    ASSERT_EQ(x.birth, y.birth) << x.name;
    ASSERT_EQ(x.prototypes, y.prototypes) << x.name;
  }
  ASSERT_EQ(a.prototypes.size(), b.prototypes.size());
  for (std::size_t p = 0; p < a.prototypes.size(); ++p)
    ASSERT_TRUE(same_prototype(a.prototypes[p], b.prototypes[p])) << "prototype " << p;
}

TEST(ViewLaws, AViewStaysAsItWasWhileTheMethodGoesOn) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const LawCase c = law_case(seed);
    for (const std::string& name : testing::methods_for(seed)) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      const auto method = c.method(name);
      core::Random random(seed, 7);
      std::vector<std::shared_ptr<const MemoryView>> views;
      std::vector<Told> told;
      const Rows<const double> stream = c.data.stream;
      for (std::size_t at = 0; at < stream.rows;) {
        views.push_back(method->view());
        told.push_back(told_by(*views.back()));
        const std::size_t rows = std::min<std::size_t>(1 + random.below(9), stream.rows - at);
        decide_all(*method, stream.slice(at, rows), rows);
        at += rows;
      }
      for (std::size_t i = 0; i < views.size(); ++i) {
        SCOPED_TRACE("view " + std::to_string(i));
        expect_same(told_by(*views[i]), told[i]);
      }
    }
  }
}

TEST(ViewLaws, TheViewAndThePrototypesAreWhatPlainCountingGives) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const LawCase c = law_case(seed);
    for (const std::string& name : testing::methods_for(seed)) {
      if (testing::rehearses(name)) continue;  // it moves members by itself
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      const auto method = c.method(name);
      const Model& model = method->model();
      const std::size_t d = model.dimension, known = model.known_classes();
      const auto decisions = decide_all(*method, c.data.stream, 37);

      std::vector<std::int64_t> members(model.class_sizes), counted(known, 0), answered(known, 0);
      std::vector<std::uint64_t> births(known, 0);
      std::vector<std::vector<double>> sums(known);
      std::vector<float> unit(d);
      for (std::size_t i = 0; i < decisions.size(); ++i) {
        const Decision& decision = decisions[i];
        if (decision.verdict == Verdict::created) {
          members.push_back(0), counted.push_back(0), answered.push_back(0);
          births.push_back(decision.sequence);
          sums.emplace_back(d);
        }
        const auto k = static_cast<std::size_t>(decision.prototype);
        ASSERT_LT(k, members.size());
        ++(decision.counted ? counted : members)[k];
        ++answered[static_cast<std::size_t>(decision.category)];
        if (decision.counted) continue;
        ASSERT_EQ(methods::standardise_row(c.data.stream[i], model.mean, model.deviation, unit),
                  methods::RowFault::none);
        for (std::size_t j = 0; j < d; ++j) sums[k][j] += static_cast<double>(unit[j]);
      }

      const auto view = method->view();
      EXPECT_EQ(view->samples, decisions.size());
      EXPECT_EQ(method->samples(), decisions.size());
      EXPECT_EQ(view->known, known);
      EXPECT_EQ(view->discovered, members.size() - known);
      ASSERT_EQ(view->prototypes.size(), members.size());
      ASSERT_EQ(method->next_prototype(), static_cast<PrototypeId>(members.size()));
      for (std::size_t k = 0; k < members.size(); ++k) {
        SCOPED_TRACE("prototype " + std::to_string(k));
        const auto id = static_cast<CategoryId>(k);
        Prototype expected;
        expected.owner = id;
        expected.reference = k < known;
        expected.members = members[k];
        expected.counted = counted[k];
        expected.birth = births[k];
        // Who cannot move samples keeps no sums.
        if (k >= known && method->info().supports(OperationKind::move)) {
          expected.resultant_length =
              std::sqrt(math::plain::dot(sums[k].data(), sums[k].data(), d)) /
              static_cast<double>(members[k]);
        }
        EXPECT_TRUE(same_prototype(view->prototypes[k], expected));
        EXPECT_TRUE(same_prototype(method->prototype(id), expected));
        const CategoryInfo info = view->info(id);
        EXPECT_EQ(info.known, k < known);
        EXPECT_EQ(info.name, k < known ? model.class_names[k] : "category " + std::to_string(k));
        EXPECT_EQ(info.size, members[k] + counted[k]);
        EXPECT_EQ(info.answered, static_cast<std::uint64_t>(answered[k]));
        EXPECT_EQ(info.prototypes, std::vector<PrototypeId>{id});
      }
    }
  }
}

// How many elements of a later view are copies rather than the same place in memory.
template <class Array>
std::size_t copied(const Array& before, const Array& after, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += &before[i] != &after[i];
  return count;
}

struct CategoriesOf {
  const Categories& categories;
  const Category& operator[](std::size_t i) const { return categories[static_cast<CategoryId>(i)]; }
};

TEST(ViewLaws, AViewAfterEverySampleCopiesOnePartAndNotAllCategories) {
  constexpr std::size_t d = 8, kSamples = 2'600, kPart = 64;
  const auto model = testing::identity_model(d, testing::three_axes(d), 0.999999, 1e9);
  core::Random random(5);
  const math::Matrix<double> stream = testing::random_directions(kSamples, d, random);
  const auto method = method_for("paco", model);
  auto before = method->view();
  for (std::size_t i = 0; i < 2 * kSamples; ++i) {
    ASSERT_TRUE(method->decide(stream[i < kSamples ? i : random.below(kSamples)]).ok());
    auto after = method->view();
    const std::size_t size = before->prototypes.size();
    ASSERT_LE(copied(before->prototypes, after->prototypes, size), kPart) << "sample " << i;
    ASSERT_LE(copied(CategoriesOf{before->categories}, CategoriesOf{after->categories}, size),
              kPart)
        << "sample " << i;
    before = std::move(after);
  }
  EXPECT_GT(before->discovered, 2'000u);
}

}  // namespace
}  // namespace paco
