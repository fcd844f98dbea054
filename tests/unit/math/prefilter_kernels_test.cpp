// The float32 side: whatever it computes is within its bound of the exact value, and whoever can
// win is among the candidates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/gemm.hpp"
#include "math/kernels.hpp"
#include "math/matrix.hpp"
#include "math/plain.hpp"
#include "math/prefilter_two.hpp"
#include "math/rerank.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

using testing::for_every_target;

enum class Nastiness { plain, wide, cancelling, equal };

// (rows, n) of a kind that float32 sums find hard.
Matrix<float> nasty_rows(std::size_t rows, std::size_t n, Nastiness kind, core::Random& random) {
  Matrix<float> out(rows, n);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      double x = random.normal();
      if (kind == Nastiness::wide) x *= std::exp(8 * random.normal());
      if (kind == Nastiness::cancelling) x = (i % 2 == 0 ? 1 : -1) * (1 + 1e-6 * x);
      if (kind == Nastiness::equal) x = 0.1;
      out[r][i] = static_cast<float>(x);
    }
  }
  return out;
}

double length_of(std::span<const float> v) {
  return std::sqrt(plain::dot(v.data(), v.data(), v.size()));
}

void expect_within_bound(std::span<const float> a, std::span<const float> b, float product) {
  const double exact = plain::dot(a.data(), b.data(), a.size());
  const double bound = screen_error(a.size()) * length_of(a) * length_of(b);
  EXPECT_LE(std::abs(static_cast<double>(product) - exact), bound) << "length " << a.size();
}

constexpr Nastiness kNasty[] = {Nastiness::plain, Nastiness::wide, Nastiness::cancelling,
                                Nastiness::equal};

TEST(Screening, RowProductsAreWithinTheBound) {
  for_every_target([] {
    core::Random random(11);
    for (const std::size_t n : {1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 64, 100, 768, 4096}) {
      for (const Nastiness kind : kNasty) {
        for (const std::size_t count : {1, 3, 4, 9}) {
          const Matrix<float> rows = nasty_rows(count, n, kind, random);
          const Matrix<float> unit = nasty_rows(1, n, kind, random);
          std::vector<float> products(count);
          screen_rows(rows.data(), count, unit.data(), n, products.data());
          for (std::size_t k = 0; k < count; ++k)
            expect_within_bound(rows[k], unit[0], products[k]);
        }
      }
    }
  });
}

TEST(Screening, MatrixProductsAreWithinTheBoundForAnyNumberOfThreads) {
  for_every_target([] {
    core::Random random(12);
    for (const unsigned threads : {1u, 2u}) {
      core::ThreadPool pool(threads);
      for (const std::size_t n : {2, 17, 256}) {
        for (const Nastiness kind : kNasty) {
          // Whole and started strips of samples, also none; whole and started tiles of rows.
          const Matrix<float> a = nasty_rows(random.below(80), n, kind, random);
          const Matrix<float> b = nasty_rows(1 + random.below(80), n, kind, random);
          const std::size_t stride = b.rows() + 5;
          std::vector<float> out(a.rows() * stride, -1.0f);
          multiply_transposed(a.data(), a.rows(), b.data(), b.rows(), n, out.data(), stride, pool);
          for (std::size_t i = 0; i < a.rows(); ++i) {
            for (std::size_t k = 0; k < b.rows(); ++k)
              expect_within_bound(a[i], b[k], out[i * stride + k]);
            EXPECT_EQ(out[i * stride + b.rows()], -1.0f) << "wrote beyond its columns";
          }
          std::vector<float> square(b.rows() * b.rows());
          multiply_self(b.data(), b.rows(), n, square.data());
          for (std::size_t i = 0; i < b.rows(); ++i)
            for (std::size_t j = 0; j <= i; ++j)
              expect_within_bound(b[i], b[j], square[i * b.rows() + j]);
        }
      }
    }
  });
}

TEST(Screening, TheBoundGrowsWithLengthAndRoundings) {
  EXPECT_LT(screen_error(16), screen_error(768));
  EXPECT_LT(screen_error(16), screen_error(16, 128));
  EXPECT_LT(screen_error(4096, 128), 1e-3);
}

// One quantity per prototype with exact values anywhere inside the error bars.
struct Field {
  std::vector<float> products, scale, factor, offset, errors;
  std::vector<double> exact;
  PrefilterScores scores;
};

Field random_field(std::size_t count, core::Random& random) {
  Field f;
  f.scores.common = random.below(2) ? 1.0f : 3.5f;
  f.scores.slack = 1e-4f;
  f.scores.constant_error = 2e-3f;
  f.scores.stretch = random.below(2) ? 1.0f : 1.5f;
  const bool scaled = random.below(2), weighted = random.below(2), shifted = random.below(2),
             own_errors = random.below(2);
  // Sometimes everything is nearly tied, sometimes there are a few exact duplicates.
  const double spread = random.below(2) ? 1e-3 : 1.0;
  for (std::size_t k = 0; k < count; ++k) {
    f.products.push_back(static_cast<float>(0.5 + spread * random.normal()));
    if (k > 0 && random.below(8) == 0) f.products.back() = f.products[random.below(k)];
    f.scale.push_back(static_cast<float>(random.uniform(0.9, 1.1)));
    f.factor.push_back(static_cast<float>(random.uniform(0, 2)));
    f.offset.push_back(static_cast<float>(random.normal()));
    f.errors.push_back(static_cast<float>(random.below(10) == 0 ? 2.0 : 1e-3));
  }
  f.scores.products = f.products.data();
  f.scores.count = count;
  if (scaled) f.scores.scale = f.scale.data();
  if (weighted) f.scores.factor = f.factor.data();
  if (shifted) f.scores.offset = f.offset.data();
  if (own_errors) f.scores.cosine_error = f.errors.data();
  for (std::size_t k = 0; k < count; ++k) {
    const double multiplier =
        static_cast<double>(f.scores.common) * (weighted ? static_cast<double>(f.factor[k]) : 1.0);
    const double value = static_cast<double>(f.products[k]) *
                             (scaled ? static_cast<double>(f.scale[k]) : 1.0) * multiplier +
                         (shifted ? static_cast<double>(f.offset[k]) : 0.0);
    const double own = own_errors ? static_cast<double>(f.errors[k]) : 0.0;
    const double error = (own * static_cast<double>(f.scores.stretch) +
                          static_cast<double>(f.scores.constant_error)) *
                             multiplier +
                         static_cast<double>(f.scores.slack);
    // The ends of the bar are the hard cases; a little is left for the float32 value itself.
    const double place = random.below(2) ? (random.below(2) ? 0.98 : -0.98) : random.uniform(-1, 1);
    f.exact.push_back(value + 0.98 * place * error);
  }
  return f;
}

// Prototypes by descending exact value; the lowest index first where they are equal.
std::vector<std::uint32_t> exact_order(const Field& field) {
  std::vector<std::uint32_t> order(field.exact.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return field.exact[a] > field.exact[b];
  });
  return order;
}

TEST(Screening, WhoeverCanBeAmongTheBestIsACandidate) {
  for_every_target([] {
    std::vector<Candidate> candidates{{99, 0}};
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
      core::Random random(seed);
      const Field field = random_field(random.below(90), random);
      const std::vector<std::uint32_t> order = exact_order(field);
      for (std::size_t places = 1; places <= 3; ++places) {
        prefilter_best(field.scores, static_cast<int>(places), candidates);
        std::vector<std::uint32_t> found;
        for (const Candidate& c : candidates) {
          found.push_back(c.index);
          ASSERT_LT(c.index, field.exact.size()) << "seed " << seed;
          ASSERT_GE(static_cast<double>(c.upper), field.exact[c.index]) << "seed " << seed;
        }
        ASSERT_TRUE(std::is_sorted(found.begin(), found.end())) << "seed " << seed;
        ASSERT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << "seed " << seed;
        for (std::size_t rank = 0; rank < std::min(order.size(), places); ++rank) {
          ASSERT_TRUE(std::binary_search(found.begin(), found.end(), order[rank]))
              << "seed " << seed << ", places " << places << ", rank " << rank << " of "
              << order.size();
        }
      }
    }
  });
}

// Two lists as one, the second behind the first.
TEST(Screening, WhoeverCanWinAmongTwoListsIsACandidateAndNoMoreThanOneByOne) {
  for_every_target([] {
    std::vector<Candidate> candidates{{99, 0}}, alone;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      core::Random random(seed);
      const Field a = random_field(random.below(70), random);
      const Field b = random_field(random.below(70), random);
      Field both = a;
      both.exact.insert(both.exact.end(), b.exact.begin(), b.exact.end());
      prefilter_two(a.scores, b.scores, candidates);
      std::vector<std::uint32_t> found;
      for (const Candidate& c : candidates) {
        found.push_back(c.index);
        ASSERT_LT(c.index, both.exact.size());
        ASSERT_GE(static_cast<double>(c.upper), both.exact[c.index]);
      }
      ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
      ASSERT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
      const std::vector<std::uint32_t> order = exact_order(both), order_of_a = exact_order(a);
      for (std::size_t rank = 0; rank < std::min<std::size_t>(order.size(), 2); ++rank)
        ASSERT_TRUE(std::binary_search(found.begin(), found.end(), order[rank])) << rank;
      if (!order_of_a.empty()) {
        ASSERT_TRUE(std::binary_search(found.begin(), found.end(), order_of_a[0]));
      }
      prefilter_best(b.scores, 2, alone);
      const auto of_b = found.end() - std::lower_bound(found.begin(), found.end(), a.exact.size());
      ASSERT_LE(static_cast<std::size_t>(of_b), alone.size());
    }
  });
}

TEST(Screening, SettlingFindsTheBestAndAsksForFewerThanAllCandidates) {
  std::size_t candidates_in_all = 0, offered_in_all = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    core::Random random(seed);
    const Field field = random_field(1 + random.below(90), random);
    std::vector<Candidate> candidates;
    prefilter_best(field.scores, 1, candidates);
    candidates_in_all += candidates.size();
    std::size_t best = field.exact.size();
    double bar = -std::numeric_limits<double>::infinity();
    rerank_best(
        candidates, [&] { return bar; },
        [&](std::size_t k) {
          ++offered_in_all;
          if (field.exact[k] < bar || (field.exact[k] == bar && best < k)) return;
          best = k;
          bar = field.exact[k];
        });
    ASSERT_EQ(best, exact_order(field)[0]) << "seed " << seed;
  }
  EXPECT_LT(offered_in_all, candidates_in_all);
}

TEST(Screening, SettlingOffersEveryoneWhoTiesWithTheBar) {
  std::vector<Candidate> candidates{{0, 1.0f}, {1, 3.0f}, {2, 2.0f}, {3, 2.0f}, {4, 1.5f}};
  std::vector<std::size_t> offered;
  rerank_best(
      candidates, [] { return 2.0; }, [&](std::size_t k) { offered.push_back(k); });
  std::sort(offered.begin(), offered.end());
  EXPECT_EQ(offered, (std::vector<std::size_t>{1, 2, 3}));
}

std::vector<std::uint32_t> candidate_indices(const PrefilterScores& scores, int places) {
  std::vector<Candidate> candidates;
  prefilter_best(scores, places, candidates);
  std::vector<std::uint32_t> indices;
  for (const Candidate& c : candidates) indices.push_back(c.index);
  return indices;
}

TEST(Screening, ClearWinnersAreTheOnlyCandidates) {
  for_every_target([] {
    std::vector<float> products(53);
    std::iota(products.begin(), products.end(), 0.0f);
    std::reverse(products.begin() + 10, products.end());
    PrefilterScores scores;
    scores.products = products.data();
    scores.count = products.size();
    scores.constant_error = 0.1f;
    EXPECT_EQ(candidate_indices(scores, 1), (std::vector<std::uint32_t>{10}));
    EXPECT_EQ(candidate_indices(scores, 3), (std::vector<std::uint32_t>{10, 11, 12}));
    std::reverse(products.begin(), products.end());
    EXPECT_EQ(candidate_indices(scores, 2), (std::vector<std::uint32_t>{41, 42}));
  });
}

TEST(Screening, ExactTiesAreAllCandidates) {
  for_every_target([] {
    const std::vector<float> products(37, 0.25f);
    PrefilterScores scores;
    scores.products = products.data();
    scores.count = products.size();
    for (const int places : {1, 2, 3})
      EXPECT_EQ(candidate_indices(scores, places).size(), products.size());
  });
}

}  // namespace
}  // namespace paco::math
