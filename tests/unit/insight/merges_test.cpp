// Merge questions against the same score in plain loops over all pairs of members.
#include "insight/merges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace paco::insight {
namespace {

using Units = std::vector<std::vector<double>>;

struct Made {
  std::vector<Units> groups;  // members of category i
  Directions all;
};

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// A prototype of these members, or a fixed one of a known class.
void add_prototype(Directions& all, CategoryId owner, const Units& members, bool known) {
  std::vector<double> sum(all.dimension);
  for (const auto& one : members) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += one[j];
  }
  const double length = std::sqrt(cosine(sum, sum));
  all.prototypes.push_back(static_cast<PrototypeId>(all.prototypes.size()));
  all.owners.push_back(owner);
  all.sizes.push_back(static_cast<std::int64_t>(members.size()));
  all.members.push_back(known ? 0 : static_cast<std::int64_t>(members.size()));
  all.lengths.push_back(known ? 0 : length);
  all.known.push_back(known ? 1 : 0);
  for (const double x : sum) all.rows.push_back(static_cast<float>(x / length));
}

// Categories of `sizes` members about `middles` directions; the first one is a known class, the
// second has two prototypes.
Made made(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& middle_of,
          std::uint64_t seed) {
  constexpr std::size_t d = 20;
  core::Random random(seed, 1);
  std::vector<std::vector<double>> middles(sizes.size(), std::vector<double>(d));
  for (auto& middle : middles) {
    for (double& x : middle) x = random.normal();
  }
  Made out;
  out.all.dimension = d;
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    Units members(sizes[g], std::vector<double>(d));
    for (auto& one : members) {
      for (std::size_t j = 0; j < d; ++j) one[j] = middles[middle_of[g]][j] + random.normal();
      const double length = std::sqrt(cosine(one, one));
      for (double& x : one) x /= length;
    }
    const auto id = static_cast<CategoryId>(g);
    if (g == 1) {
      add_prototype(out.all, id, {members.begin(), members.begin() + 2}, false);
      add_prototype(out.all, id, {members.begin() + 2, members.end()}, false);
    } else {
      add_prototype(out.all, id, members, g == 0);
    }
    out.groups.push_back(std::move(members));
  }
  return out;
}

double inside(const Units& members) {
  double sum = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (std::size_t j = i + 1; j < members.size(); ++j) sum += cosine(members[i], members[j]);
  }
  return sum;
}

double pairs(const Units& members) {
  return static_cast<double>(members.size() * (members.size() - 1)) / 2;
}

TEST(MergeQuestions, AreRankedByTheLearnedScoreOfAllPairsOfMembers) {
  const std::vector<std::size_t> sizes{9, 8, 5, 14, 3, 2, 6, 4}, middle_of{0, 1, 1, 3, 3, 5, 6, 7};
  const Made m = made(sizes, middle_of, 4);
  std::vector<std::size_t> compared;  // not the known class, not the one of two members
  for (const std::size_t g : {1, 2, 3, 4, 6, 7}) compared.push_back(g);
  double usual = 0, trusted = 0;
  for (const std::size_t g : compared) {
    if (sizes[g] < 5) continue;
    usual += inside(m.groups[g]) / pairs(m.groups[g]);
    ++trusted;
  }
  usual /= trusted;
  const auto drawn = [&](std::size_t g) {
    return (inside(m.groups[g]) + 4 * usual) / (pairs(m.groups[g]) + 4);
  };
  const auto likeness = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (const auto& x : m.groups[a]) {
      for (const auto& y : m.groups[b]) sum += cosine(x, y);
    }
    return sum / static_cast<double>(sizes[a] * sizes[b]) / std::sqrt(drawn(a) * drawn(b));
  };
  const auto margin = [&](std::size_t a, std::size_t b) {
    double best = -std::numeric_limits<double>::infinity();
    for (const std::size_t c : compared) {
      if (c != a && c != b) best = std::max(best, likeness(a, c));
    }
    return likeness(a, b) - best;
  };
  const auto found = merge_questions(m.all, 100);
  ASSERT_EQ(found.size(), compared.size() * (compared.size() - 1) / 2);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto a = static_cast<std::size_t>(found[i].a), b = static_cast<std::size_t>(found[i].b);
    ASSERT_LT(a, b);
    EXPECT_NEAR(found[i].likeness, likeness(a, b), 1e-5);
    const auto smaller = static_cast<double>(std::min(sizes[a], sizes[b]));
    EXPECT_NEAR(
        found[i].score,
        6.3 * likeness(a, b) - 0.48 * std::log(smaller) + 1.8 * (margin(a, b) + margin(b, a)),
        1e-4);
    if (i > 0) {
      EXPECT_GE(found[i - 1].score, found[i].score);
    }
  }
  // The two pairs that are pieces of one thing come first.
  const auto is_pair = [](const MergeQuestion& q, CategoryId a, CategoryId b) {
    return q.a == a && q.b == b;
  };
  EXPECT_TRUE(is_pair(found[0], 1, 2) || is_pair(found[0], 3, 4));
  EXPECT_TRUE(is_pair(found[1], 1, 2) || is_pair(found[1], 3, 4));
  // Fewer are the first of them.
  const auto few = merge_questions(m.all, 3);
  ASSERT_EQ(few.size(), 3u);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(few[i].score, found[i].score);
}

TEST(MergeQuestions, NeedTwoCategoriesOfThreeMembers) {
  EXPECT_TRUE(merge_questions({}, 10).empty());
  EXPECT_TRUE(merge_questions(made({4, 5, 2}, {0, 1, 2}, 3).all, 10).empty());
  EXPECT_EQ(merge_questions(made({4, 5, 3}, {0, 1, 2}, 3).all, 10).size(), 1u);
  EXPECT_TRUE(merge_questions(made({4, 5, 3}, {0, 1, 2}, 3).all, 0).empty());
}

}  // namespace
}  // namespace paco::insight
