// Rows on a grid have the bits of the plain loops, for every length and instruction set.
#include "math/unit_grid.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "math/plain.hpp"
#include "unit/math/targets.hpp"

namespace paco::math {
namespace {

using testing::for_every_target;

constexpr double kShift = 1.5 * (1 << 24);  // multiples of 2^-28

std::vector<float> plain_on_grid(const std::vector<float>& from, double factor) {
  std::vector<float> out;
  for (const float x : from)
    out.push_back(static_cast<float>((static_cast<double>(x) * factor + kShift) - kShift));
  return out;
}

void expect_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint32_t>(a[i]), std::bit_cast<std::uint32_t>(b[i])) << i;
}

TEST(UnitGrid, RowsHaveTheBitsOfPlainLoops) {
  for_every_target([] {
    core::Random random(7);
    for (const std::size_t n : {1, 2, 7, 8, 9, 31, 32, 33, 100, 768, 771}) {
      SCOPED_TRACE(::testing::Message() << n << " columns");
      std::vector<float> row(n), unit(n), as_it_is(n);
      for (float& x : row) x = static_cast<float>(random.normal() * std::exp(3 * random.normal()));
      normalise_on_grid(row.data(), kShift, unit.data(), n);
      put_on_grid(row.data(), kShift, as_it_is.data(), n);
      expect_same_bits(unit,
                       plain_on_grid(row, 1 / std::sqrt(plain::dot(row.data(), row.data(), n))));
      expect_same_bits(as_it_is, plain_on_grid(row, 1));
      put_on_grid(row.data(), kShift, row.data(), n);
      expect_same_bits(row, as_it_is);
    }
  });
}

TEST(UnitGrid, WhatHasNoLengthBecomesZero) {
  for_every_target([] {
    const std::vector<float> row(40, 0.0f);
    std::vector<float> unit(40, 1.0f);
    normalise_on_grid(row.data(), kShift, unit.data(), 40);
    expect_same_bits(unit, row);
  });
}

}  // namespace
}  // namespace paco::math
