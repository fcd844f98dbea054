// Screened products in either format are within the bound that goes with them, for every kind of
// vector and every instruction set.
#include "math/prefilter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/random.hpp"
#include "core/threads.hpp"
#include "math/plain.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

using testing::for_every_target;

enum class Kind { normal, wide, one_huge, sparse, equal, tiny, vanishing, zero };
constexpr Kind kKinds[] = {Kind::normal, Kind::wide, Kind::one_huge,  Kind::sparse,
                           Kind::equal,  Kind::tiny, Kind::vanishing, Kind::zero};
constexpr std::size_t kLengths[] = {1, 2, 3, 15, 16, 17, 63, 64, 65, 100, 768, 4099};

std::vector<double> numbers(std::size_t n, Kind kind, core::Random& random) {
  std::vector<double> row(n);
  for (double& x : row) {
    x = random.normal();
    if (kind == Kind::wide) x *= std::exp(6 * random.normal());
    if (kind == Kind::one_huge) x *= 1e-3;
    if (kind == Kind::sparse && random.below(10) > 0) x = 0;
    if (kind == Kind::equal) x = 0.1;
    if (kind == Kind::tiny) x *= 1e-29;
    if (kind == Kind::vanishing) x *= 1e-41;
    if (kind == Kind::zero) x = 0;
  }
  if (kind == Kind::one_huge) row[random.below(n)] = 1e3;
  return row;
}

double length(std::span<const double> v) {
  return std::sqrt(plain::dot(v.data(), v.data(), v.size()));
}

TEST(Prefilter, RowsRoundedToBytesAreWithinTheirError) {
  for_every_target([] {
    core::Random random(61);
    for (const std::size_t n : kLengths) {
      for (const Kind kind : kKinds) {
        const std::vector<double> meant = numbers(n, kind, random);
        std::vector<float> row(n);
        to_float32(meant.data(), row.data(), n);
        std::vector<std::int8_t> multiples(n + 1, std::int8_t{-100});
        const RoundedToBytes rounded = round_to_bytes(row.data(), n, multiples.data());
        std::vector<double> lost(n);
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
          lost[i] = meant[i] - static_cast<double>(rounded.scale) * multiples[i];
          ASSERT_LE(std::abs(multiples[i]), 127);
          sum += multiples[i];
        }
        const std::string where =
            "length " + std::to_string(n) + ", kind " + std::to_string(static_cast<int>(kind));
        ASSERT_EQ(multiples[n], -100) << where;
        ASSERT_EQ(rounded.sum, sum) << where;
        const auto error = static_cast<double>(rounded.error);
        ASSERT_LE(length(lost), error) << where;
        // ... and the error claimed is not far above what rounding can do.
        ASSERT_LE(error, std::sqrt(static_cast<double>(n)) *
                             (0.501 * static_cast<double>(rounded.scale) + 1e-29))
            << where;
      }
    }
  });
}

// (rows, n) unit vectors of changing kinds.
Matrix<float> unit_rows(std::size_t rows, std::size_t n, core::Random& random) {
  Matrix<float> units(rows, n);
  for (std::size_t i = 0; i < rows; ++i) {
    const Kind kind = kKinds[random.below(5)];
    std::vector<double> row = numbers(n, kind, random);
    row[random.below(n)] += 0.5;  // a sparse row is not empty
    const double long_as = length(row);
    for (std::size_t j = 0; j < n; ++j) units[i][j] = static_cast<float>(row[j] / long_as);
  }
  return units;
}

TEST(Prefilter, CosinesWithUnitRowsAreWithinTheirBound) {
  std::set<PrefilterFormat> formats;
  for_every_target([&] {
    core::Random random(62);
    for (const std::size_t n : kLengths) {
      for (const std::size_t samples : {1, 5, 12}) {
        const Matrix<float> rows = unit_rows(37, n, random), units = unit_rows(samples, n, random);
        const Prefilter bank(rows.view(), best_screen_format(n));
        formats.insert(bank.format());
        core::ThreadPool pool(1 + static_cast<unsigned>(n % 2));
        SampleBlock block;
        block.assign(units, bank.format());
        std::vector<float> products(samples * rows.rows());
        bank.multiply(block, products.data(), rows.rows(), pool);
        for (std::size_t i = 0; i < samples; ++i) {
          const PrefilterScores s =
              bank.screened_cosines({products.data() + i * rows.rows(), block.error(i)});
          ASSERT_EQ(s.count, rows.rows());
          for (std::size_t k = 0; k < s.count; ++k) {
            const float own = s.cosine_error ? s.cosine_error[k] * s.stretch : 0.0f;
            ASSERT_LE(std::abs(static_cast<double>(s.products[k]) -
                               plain::dot(rows[k].data(), units[i].data(), n)),
                      static_cast<double>(own + s.constant_error))
                << "length " << n << ", sample " << i << ", row " << k;
          }
        }
      }
    }
  });
  EXPECT_TRUE(formats.count(PrefilterFormat::float32)) << "older instruction sets use float32";
}

TEST(Prefilter, AChoiceOfSamplesHasTheProductsOfThoseSamples) {
  for_every_target([] {
    core::Random random(63);
    const std::size_t n = 70;
    const Matrix<float> rows = unit_rows(20, n, random), units = unit_rows(9, n, random);
    const Prefilter bank(rows.view(), best_screen_format(n));
    core::ThreadPool pool;
    SampleBlock all, from_block, from_units;
    all.assign(units, bank.format());
    const std::vector<std::size_t> chosen{7, 0, 3, 3, 8};
    from_block.assign(all, chosen);
    from_units.assign(units, chosen, bank.format());
    const std::size_t stride = rows.rows();
    std::vector<float> expected(units.rows() * stride);
    bank.multiply(all, expected.data(), stride, pool);
    for (const SampleBlock* block : {&from_block, &from_units}) {
      ASSERT_EQ(block->rows(), chosen.size());
      std::vector<float> products(chosen.size() * stride);
      bank.multiply(*block, products.data(), stride, pool);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        EXPECT_EQ(block->error(i), all.error(chosen[i]));
        for (std::size_t k = 0; k < stride; ++k)
          EXPECT_NEAR(products[i * stride + k], expected[chosen[i] * stride + k], 1e-5f);
      }
    }
  });
}

TEST(Prefilter, ProductsAreTheSameHoweverTheyAreSplitAmongThreads) {
  for (const PrefilterFormat format : {PrefilterFormat::bytes, PrefilterFormat::float32}) {
    core::Random random(67);
    for (const std::size_t rows : {1, 15, 16, 17, 100, 333}) {
      const std::size_t n = 40, count = 9;
      const Matrix<float> units = unit_rows(rows, n, random), samples = unit_rows(count, n, random);
      const Prefilter bank(units, format);
      SampleBlock block;
      block.assign(samples, format);
      core::ThreadPool one(1), three(3);
      std::vector<float> alone(count * rows), split(count * rows), alike(count * rows);
      bank.multiply(block, alone.data(), rows, one);
      bank.multiply(block, split.data(), rows, three, 1);
      bank.multiply(block, alike.data(), rows, three);
      const double tolerance = format == PrefilterFormat::bytes ? 0 : bank.rounding_error(0) * 4;
      for (std::size_t i = 0; i < alone.size(); ++i) {
        ASSERT_NEAR(alone[i], split[i], tolerance) << rows << " rows, product " << i;
        ASSERT_NEAR(alone[i], alike[i], tolerance) << rows << " rows, product " << i;
      }
    }
  }
}

}  // namespace
}  // namespace paco::math
