// Prototypes and the products of a block with them: exact values are those of plain loops, screened
// values are within the bound they claim, whatever has happened before, in every format.
#include "methods/common/prototypes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/plain.hpp"
#include "methods/common/block_products.hpp"
#include "methods/common/von_mises_fisher.hpp"
#include "unit/math/targets.hpp"

namespace paco::methods {
namespace {

math::Matrix<float> random_units(std::size_t rows, std::size_t d, core::Random& random) {
  math::Matrix<float> units(rows, d);
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> z(d);
    for (double& x : z) x = random.normal();
    const double length = std::sqrt(math::plain::dot(z.data(), z.data(), d));
    for (std::size_t j = 0; j < d; ++j) units[i][j] = static_cast<float>(z[j] / length);
    if (i > 0 && random.below(6) == 0) {  // the opposite of an earlier one, so that sums cancel
      const auto earlier = units[random.below(i)];
      for (std::size_t j = 0; j < d; ++j) units[i][j] = -earlier[j];
    }
  }
  return units;
}

// The truth about one prototype.
struct PlainPrototype {
  std::vector<double> sum;
  std::int64_t members = 0;

  void add(std::span<const float> unit) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += static_cast<double>(unit[j]);
    ++members;
  }
  double length() const { return std::sqrt(math::plain::dot(sum.data(), sum.data(), sum.size())); }
  double cosine(std::span<const float> unit) const {
    return length() > 0 ? math::plain::dot(sum.data(), unit.data(), sum.size()) / length() : 0;
  }
};

// The screened value of entry k and its error, as kernels.hpp defines them, in double.
void expect_covers(const math::PrefilterScores& s, std::size_t k, double exact,
                   const std::string& where) {
  const auto at = [&](const float* p, double absent) {
    return p ? static_cast<double>(p[k]) : absent;
  };
  const double multiplier = static_cast<double>(s.common) * at(s.factor, 1);
  const double value =
      static_cast<double>(s.products[k]) * at(s.scale, 1) * multiplier + at(s.offset, 0);
  const double error = (at(s.cosine_error, 0) * static_cast<double>(s.stretch) +
                        static_cast<double>(s.constant_error)) *
                           multiplier +
                       static_cast<double>(s.slack);
  EXPECT_TRUE(std::isfinite(value) && std::isfinite(error)) << where;
  EXPECT_LE(std::abs(value - exact), error) << where;
}

TEST(Prototypes, AreTheSumsOfTheirSamplesInPlainOrder) {
  core::Random random(21);
  for (const std::size_t d : {2, 5, 32, 100}) {
    const math::Matrix<float> units = random_units(60, d, random);
    PrototypeSet set(d);
    std::vector<PlainPrototype> plain_set;
    for (std::size_t i = 0; i < units.rows(); ++i) {
      const std::size_t k = random.below(plain_set.size() + 1);
      if (k == plain_set.size()) {
        plain_set.push_back({std::vector<double>(d), 0});
        ASSERT_EQ(set.add(units[i].data(), 0), k);
      } else {
        set.join(k, units[i].data(), 0);
      }
      plain_set[k].add(units[i]);
      const PlainPrototype& p = plain_set[k];
      ASSERT_EQ(set.members(k), p.members);
      ASSERT_EQ(set.resultant(k), p.length()) << "d " << d << ", sample " << i;
      ASSERT_TRUE(std::equal(p.sum.begin(), p.sum.end(), set.sum(k).begin()));
      ASSERT_EQ(set.concentration(k), concentration(p.length(), p.members, d));
      for (std::size_t other = 0; other < plain_set.size(); ++other)
        ASSERT_EQ(set.cosine(other, units[i].data()), plain_set[other].cosine(units[i]));
    }
  }
}

TEST(Prototypes, RestoredOnesAreTheSame) {
  core::Random random(22);
  const std::size_t d = 19;
  const math::Matrix<float> units = random_units(40, d, random);
  PrototypeSet set(d);
  for (std::size_t i = 0; i < units.rows(); ++i) {
    if (i < 7) {
      set.add(units[i].data(), 0);
    } else {
      set.join(random.below(7), units[i].data(), 0);
    }
  }
  PrototypeSet copy(d);
  for (std::size_t k = 0; k < set.size(); ++k) copy.restore(set.sum(k), set.members(k));
  set.update_copies();
  copy.update_copies();
  for (std::size_t k = 0; k < set.size(); ++k) {
    EXPECT_EQ(copy.members(k), set.members(k));
    EXPECT_EQ(copy.resultant(k), set.resultant(k));
    EXPECT_EQ(copy.cosine(k, units[0].data()), set.cosine(k, units[0].data()));
    const std::vector<float> products(set.size(), 0.5f);
    const math::PrefilterScores a = set.screened_attach_scores({products.data(), 0.1f});
    const math::PrefilterScores b = copy.screened_attach_scores({products.data(), 0.1f});
    EXPECT_EQ(a.factor[k], b.factor[k]);
    EXPECT_EQ(a.offset[k], b.offset[k]);
    EXPECT_EQ(a.cosine_error[k], b.cosine_error[k]);
  }
}

// Whatever was taken out and put in place of others, the rest is as if it had stood there always.
TEST(Prototypes, RemovedAndReassignedOnesLeaveTheRestAsItWas) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    core::Random random(seed, 23);
    const std::size_t d = 2 + random.below(40);
    const math::Matrix<float> units = random_units(60, d, random);
    const math::Matrix<float> probe = random_units(1, d, random);
    PrototypeSet set(d);
    std::vector<std::pair<std::vector<double>, std::int64_t>> expected;
    for (std::size_t i = 0; i < units.rows(); ++i) {
      const std::size_t what = random.below(8);
      const std::size_t k = expected.empty() ? 0 : random.below(expected.size());
      if (what == 0 && !expected.empty()) {
        set.remove(k);
        expected[k] = expected.back();
        expected.pop_back();
      } else if (what == 1 && !expected.empty()) {
        expected[k] = {std::vector<double>(units[i].begin(), units[i].end()), 3};
        set.assign(k, expected[k].first, 3);
      } else if (what < 5 || expected.empty()) {
        EXPECT_EQ(set.add(units[i].data(), 0), expected.size());
        expected.push_back({std::vector<double>(units[i].begin(), units[i].end()), 1});
      } else {
        set.join(k, units[i].data(), 0);
        for (std::size_t j = 0; j < d; ++j)
          expected[k].first[j] += static_cast<double>(units[i][j]);
        ++expected[k].second;
      }
      if (random.below(3) == 0) set.update_copies();
    }
    PrototypeSet fresh(d);
    for (const auto& [sum, members] : expected) fresh.restore(sum, members);
    set.update_copies();
    fresh.update_copies();
    ASSERT_EQ(set.size(), fresh.size()) << "seed " << seed;
    for (std::size_t k = 0; k < set.size(); ++k) {
      ASSERT_EQ(set.members(k), fresh.members(k)) << "seed " << seed << ", " << k;
      ASSERT_EQ(set.resultant(k), fresh.resultant(k)) << "seed " << seed << ", " << k;
      ASSERT_EQ(set.concentration(k), fresh.concentration(k)) << "seed " << seed << ", " << k;
      ASSERT_EQ(set.cosine(k, probe[0].data()), fresh.cosine(k, probe[0].data()))
          << "seed " << seed << ", " << k;
    }
    // The products of a block that begins now are within their bounds.
    math::SampleBlock samples;
    samples.assign(probe.view(), set.copies().format());
    BlockProducts products;
    core::ThreadPool pool;
    products.begin(samples, set, pool);
    const math::PrefilterScores scores = set.screened_cosines(products.row(0));
    ASSERT_EQ(scores.count, set.size());
    for (std::size_t k = 0; k < set.size(); ++k)
      expect_covers(scores, k, set.cosine(k, probe[0].data()), "seed " + std::to_string(seed));
  }
}

TEST(Prototypes, TakeNoMoreMemoryThanPromised) {
  for (const std::size_t d : {2, 768, 4096})
    EXPECT_LE(PrototypeSet(d).bytes_per_prototype(), 12 * d + 44);
}

// A sample of the block joins a prototype, or becomes one, and the products follow.
void join(PrototypeSet& set, BlockProducts& products, std::size_t i, const float* unit,
          std::size_t k) {
  const float error = products.row(i).error;
  if (k == set.size()) {
    set.add(unit, error);
  } else {
    set.join(k, unit, error);
  }
  products.added(i, k);
}

// A block decided at random: whatever joins what, the products of the rows to come stay within the
// bounds that the prototypes claim, for cosines and for attach scores.
TEST(BlockProducts, StayWithinTheBoundsWhileTheBlockIsDecided) {
  testing::for_every_target([] {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      core::Random random(seed);
      const std::size_t d = 2 + random.below(50);
      core::ThreadPool pool(1 + static_cast<unsigned>(seed % 2));
      PrototypeSet set(d, BlockProducts::kMaxRows);
      BlockProducts products;
      math::SampleBlock samples;
      for (int block = 0; block < 4; ++block) {
        if (block == 2 && seed % 3 == 0) set.change_format(math::PrefilterFormat::float32);
        const std::size_t rows = 1 + random.below(block == 3 ? BlockProducts::kMaxRows : 20);
        const math::Matrix<float> units = random_units(rows, d, random);
        samples.assign(units, set.copies().format());
        products.begin(samples, set, pool);
        for (std::size_t i = 0; i < rows; ++i) {
          const math::PrefilterScores cosines = set.screened_cosines(products.row(i));
          const math::PrefilterScores attach = set.screened_attach_scores(products.row(i));
          for (std::size_t k = 0; k < set.size(); ++k) {
            const std::string where = "seed " + std::to_string(seed) + ", block " +
                                      std::to_string(block) + ", row " + std::to_string(i) +
                                      ", prototype " + std::to_string(k);
            const double cosine = set.cosine(k, units[i].data());
            expect_covers(cosines, k, cosine, where);
            expect_covers(attach, k, attach_score(cosine, set.members(k), set.concentration(k), 0),
                          where);
          }
          // Few prototypes, so that one is often corrected many times within a block.
          join(set, products, i, units[i].data(),
               random.below(std::min<std::size_t>(set.size() + 1, 6)));
        }
      }
    }
  });
}

TEST(BlockProducts, ABlockOfEqualSamplesJoiningOnePrototypeStaysWithinItsBound) {
  // Every rounding goes the same way: the worst that corrections can do.
  testing::for_every_target([] {
    const std::size_t d = 3, rows = BlockProducts::kMaxRows;
    for (const float second : {1.0f, 0.4961f}) {  // 0.4961 * 127 lies between two whole numbers
      math::Matrix<float> units(rows, d);
      const float length = std::sqrt(2 + second * second);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < d; ++j) units[i][j] = (j == 1 ? second : 1.0f) / length;
      }
      core::ThreadPool pool;
      PrototypeSet set(d, BlockProducts::kMaxRows);
      BlockProducts products;
      math::SampleBlock samples;
      samples.assign(units, set.copies().format());
      for (int block = 0; block < 20; ++block) {
        products.begin(samples, set, pool);
        for (std::size_t i = 0; i < rows; ++i) {
          if (set.size() > 0)
            expect_covers(set.screened_cosines(products.row(i)), 0, set.cosine(0, units[i].data()),
                          "row " + std::to_string(i));
          join(set, products, i, units[i].data(), 0);
        }
      }
    }
  });
}

TEST(Prototypes, ASumThatHasNearlyCancelledIsNeverRuledOut) {
  testing::for_every_target([] {
    core::ThreadPool pool;
    for (const float rest : {0.0f, 1e-44f, 1e-40f, 1e-30f, 1e-20f, 1e-12f, 1e-8f, 1e-5f}) {
      const math::Matrix<float> units(3, 2, {1.0f, rest, -1.0f, 0.0f, 0.6f, 0.8f});
      PrototypeSet set(2, BlockProducts::kMaxRows);
      BlockProducts products;
      math::SampleBlock samples;
      samples.assign(units, set.copies().format());
      products.begin(samples, set, pool);
      join(set, products, 0, units[0].data(), 0);
      join(set, products, 1, units[1].data(), 0);
      const double cosine = set.cosine(0, units[2].data());
      EXPECT_NEAR(cosine, rest > 0 ? static_cast<double>(0.8f) : 0, 1e-6);
      const std::string where = "rest " + std::to_string(rest);
      const auto expect_both_covered = [&](const math::PrefilterRow& row) {
        expect_covers(set.screened_cosines(row), 0, cosine, where);
        expect_covers(set.screened_attach_scores(row), 0,
                      attach_score(cosine, 2, set.concentration(0), 0), where);
      };
      expect_both_covered(products.row(2));
      // The same once the short sum itself has been copied.
      products.begin(samples, set, pool);
      expect_both_covered(products.row(2));
    }
  });
}

TEST(BlockProducts, BlocksShrinkAsPrototypesGrowInNumber) {
  EXPECT_EQ(BlockProducts::good_rows(0), BlockProducts::kMaxRows);
  EXPECT_EQ(BlockProducts::good_rows(10'000'000), 16u);
}

}  // namespace
}  // namespace paco::methods
