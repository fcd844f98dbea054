// The project's own logarithm and exponential against the C library's in long double, which has 11
// bits more, over random values of every size; and recorded bits, which must be the same on every
// machine.
#include "math/logarithm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/random.hpp"

namespace paco::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// |got - truth| in units of the last place of a double near the truth.
double ulps(double got, long double truth) {
  int exponent = 0;
  std::frexp(static_cast<double>(truth), &exponent);
  return static_cast<double>(std::abs(static_cast<long double>(got) - truth) *
                             std::ldexp(1.0L, 53 - exponent));
}

// Calls body with `count` positive doubles whose exponents are spread evenly from low to high.
template <class Body>
void for_random_doubles(std::uint64_t seed, int count, int low, int high, Body body) {
  core::Random random(seed);
  for (int i = 0; i < count; ++i) {
    const auto exponent =
        low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low)));
    body(std::ldexp(1.0 + random.uniform(), exponent));
  }
}

class Worst {
 public:
  void see(double at, double got, long double truth) {
    const double error = ulps(got, truth);
    if (error > worst_) worst_ = error, at_ = at;
  }
  void expect_below(double limit) const {
    EXPECT_LT(worst_, limit) << "ulps, at " << std::hexfloat << at_;
  }

 private:
  double worst_ = 0;
  double at_ = 0;
};

TEST(Logarithm, LogIsWithinAUlpForNumbersOfEverySize) {
  Worst worst;
  for_random_doubles(1, 2000000, -1022, 1024,
                     [&](double x) { worst.see(x, exact_log(x), std::log((long double)x)); });
  for_random_doubles(2, 200000, -1074, -1022,  // subnormal: fewer bits than a double has
                     [&](double x) { worst.see(x, exact_log(x), std::log((long double)x)); });
  worst.expect_below(0.53);
}

TEST(Logarithm, LogIsWithinAUlpNearOneAndForWholeNumbers) {
  Worst worst;
  core::Random random(3);
  for (int i = 0; i < 1000000; ++i) {
    const double x = random.uniform(0.5, 2);
    worst.see(x, exact_log(x), std::log((long double)x));
  }
  for_random_doubles(4, 500000, -53, -1, [&](double distance) {
    for (const double x : {1 + distance, 1 - distance})
      if (x != 1) worst.see(x, exact_log(x), std::log((long double)x));
  });
  for (int n = 2; n < 500000; ++n) worst.see(n, exact_log(n), std::log((long double)n));
  worst.expect_below(0.53);
}

TEST(Logarithm, Log1pIsWithinAUlpOnBothSidesOfZero) {
  Worst worst;
  for_random_doubles(5, 1500000, -1022, 1024,
                     [&](double x) { worst.see(x, exact_log1p(x), std::log1p((long double)x)); });
  for_random_doubles(6, 1000000, -60, 0, [&](double x) {
    worst.see(-x, exact_log1p(-x), std::log1p(-(long double)x));
  });
  worst.expect_below(0.53);
}

TEST(Logarithm, ExpIsWithinAUlpWhereItsResultIsNormal) {
  Worst worst;
  core::Random random(7);
  for (int i = 0; i < 2000000; ++i) {
    const double x = random.uniform(-708, 709.7);
    worst.see(x, exact_exp(x), std::exp((long double)x));
  }
  for_random_doubles(8, 1000000, -1022, 6, [&](double x) {
    for (const double at : {x, -x}) worst.see(at, exact_exp(at), std::exp((long double)at));
  });
  worst.expect_below(0.55);
}

TEST(Logarithm, PowIsWithinAUlpUpTo1e50AndExactWhereItCanBe) {
  Worst worst;
  core::Random random(9);
  for (int i = 0; i < 1000000; ++i) {
    const double x = std::ldexp(1 + random.uniform(), static_cast<int>(random.below(60)) - 30);
    const double y = random.uniform(-5, 5);
    worst.see(x, exact_pow(x, y), std::pow((long double)x, (long double)y));
  }
  worst.expect_below(1);
  for (int n = 1; n < 3000; ++n) {
    EXPECT_EQ(exact_pow(n, 1), n);
    EXPECT_EQ(exact_pow(n, 2), n * n);
    EXPECT_EQ(exact_pow(n, 0), 1);
    EXPECT_EQ(exact_pow(double(n) * n, 0.5), n);
    EXPECT_EQ(exact_pow((n + 0.5) * (n + 0.5), 0.5), n + 0.5);  // nearbyint() has to see the tie
  }
}

TEST(Logarithm, LgammaIsThatOfTheCLibrary) {
  const auto error = [](double x) {
    const long double truth = std::lgamma((long double)x);
    return static_cast<double>(std::abs(exact_lgamma(x) - truth) / std::max(1.0L, std::abs(truth)));
  };
  double of_halves = 0, of_others = 0;
  for (int dimension = 1; dimension < 200000; ++dimension)
    of_halves = std::max(of_halves, error(dimension / 2.0));
  for_random_doubles(10, 300000, -20, 52,
                     [&](double x) { of_others = std::max(of_others, error(x)); });
  EXPECT_LT(of_halves, 1e-15);
  EXPECT_LT(of_others, 1e-14);
  EXPECT_EQ(exact_lgamma(1), 0);
  EXPECT_EQ(exact_lgamma(2), 0);
}

TEST(Logarithm, SpecialValuesAreThoseOfTheCLibrary) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(exact_log(1), 0);
  EXPECT_EQ(exact_log(0), -kInfinity);
  EXPECT_EQ(exact_log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(exact_log(-1)));
  EXPECT_TRUE(std::isnan(exact_log(nan)));
  EXPECT_EQ(exact_log1p(0), 0);
  EXPECT_EQ(exact_log1p(-1), -kInfinity);
  EXPECT_EQ(exact_log1p(5e-324), 5e-324);
  EXPECT_EQ(exact_log1p(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(exact_log1p(-1.5)));
  EXPECT_EQ(exact_exp(0), 1);
  EXPECT_EQ(exact_exp(710), kInfinity);
  EXPECT_EQ(exact_exp(kInfinity), kInfinity);
  EXPECT_EQ(exact_exp(-746), 0);
  EXPECT_EQ(exact_exp(-kInfinity), 0);
  EXPECT_EQ(exact_exp(-745), 5e-324);
  EXPECT_TRUE(std::isnan(exact_exp(nan)));
  EXPECT_EQ(exact_pow(10, 400), kInfinity);
  EXPECT_EQ(exact_pow(10, -400), 0);
  EXPECT_TRUE(std::isnan(exact_pow(-2, 0.5)));
  EXPECT_TRUE(std::isnan(exact_lgamma(-0.5)));
}

// Bits recorded once; all but those of lgamma are the correctly rounded ones.
TEST(Logarithm, BitsAreTheRecordedOnesOnEveryMachine) {
  struct Recorded {
    double x;
    std::uint64_t log, log1p, exp, power, lgamma;
  };
  constexpr Recorded kRecorded[] = {
      {0.0009765625, 0xc01bb9d3beb8c86bU, 0x3f4ffc00aa8ab110U, 0x3ff00400800aab55U,
       0x3fc0000000000000U, 0x401bb9402eedc991U},
      {0.10000000000000001, 0xc0026bb1bbb55515U, 0x3fb8663f793c46c7U, 0x3ff1aec7b35a00d4U,
       0x3fe009b9cf334253U, 0x4002058e35f3def7U},
      {0.5, 0xbfe62e42fefa39efU, 0x3fd9f323ecbf984cU, 0x3ffa61298e1e069cU, 0x3fe9fdf8bcce533eU,
       0x3fe250d048e7a1bdU},
      {0.70710678118654746, 0xbfd62e42fefa39f1U, 0x3fe11d14e1fcb72fU, 0x4000399458f5a0d6U,
       0x3fecd70b35cd636cU, 0x3fd02528a67edcdeU},
      {0.75, 0xbfd269621134db92U, 0x3fe1e85f5e7040d0U, 0x4000ef9db467dcf8U, 0x3fed5aa478ea79e4U,
       0x3fca051c372609eeU},
      {0.99999999999999989, 0xbca0000000000000U, 0x3fe62e42fefa39efU, 0x4005bf0a8b145769U,
       0x3ff0000000000000U, 0x3ca0001bc41da288U},
      {1.0000000000000002, 0x3cafffffffffffffU, 0x3fe62e42fefa39f0U, 0x4005bf0a8b14576bU,
       0x3ff0000000000000U, 0xbcafffe43be25d78U},
      {1.25, 0x3fcc8ff7c79a9a22U, 0x3fe9f323ecbf984cU, 0x400bec38edb0faf0U, 0x3ff11b95bd6b6bb4U,
       0xbfb92857d38caf41U},
      {1.4142135623730951, 0x3fd62e42fefa39f0U, 0x3fec34366179d427U, 0x401073f7e8448776U,
       0x3ff1c0cbeb32bdf9U, 0xbfbed15fe8a19081U},
      {1.5, 0x3fd9f323ecbf984cU, 0x3fed5240f0e0e078U, 0x4011ed3fe64fc541U, 0x3ff211ce179a0012U,
       0xbfbeeb95b094c191U},
      {2, 0x3fe62e42fefa39efU, 0x3ff193ea7aad030bU, 0x401d8e64b8d4ddaeU, 0x3ff3b2c47bff8329U,
       0x0000000000000000U},
      {2.7182818284590451, 0x3ff0000000000000U, 0x3ff5031eafefb049U, 0x402e4efb75e4527aU,
       0x3ff599058c8c1a95U, 0x3fdcc3fb2e7ae78eU},
      {3, 0x3ff193ea7aad030bU, 0x3ff62e42fefa39efU, 0x403415e5bf6fb106U, 0x3ff63f08b6f382aeU,
       0x3fe62e42fefa39efU},
      {7, 0x3fff2272ae325a57U, 0x4000a2b23f3bab73U, 0x409122885aaeddaaU, 0x3ffcaf448719fef8U,
       0x401a51273acf01caU},
      {10, 0x40026bb1bbb55516U, 0x40032ee3b77f374cU, 0x40d5829dcf950560U, 0x3fffec982d5bb8afU,
       0x40299a8921a7f7cfU},
      {12.5, 0x400434b1382efeb8U, 0x4004d24ef844f614U, 0x411060c52565ba66U, 0x40011135db1c200fU,
       0x4032bbfe32d3aa7fU},
      {33.299999999999997, 0x400c0b61ad3275b2U, 0x400c47fa4996326dU, 0x42f078401f5a3ec8U,
       0x4006e63c277453b1U, 0x4054a6a3683bc20cU},
      {64, 0x4010a2b23f3bab73U, 0x4010b29293942975U, 0x45b425982cf597cdU, 0x400bdb8cdadbe120U,
       0x4069204c51e7c761U},
      {96, 0x401241e47e07a4f8U, 0x40124c8108e54bf8U, 0x48969b7f55b808baU, 0x400f75fe8fad2477U,
       0x40754d0a7b2ba658U},
      {128.5, 0x40136c78a06f48d3U, 0x40137468c2cab337U, 0x4b84e9abc3428fc2U, 0x40112b1f20fe3687U,
       0x407edfa7e1c51211U},
      {300.25, 0x4016d186b7245179U, 0x4016d4ee59b7014fU, 0x5b01fda3eaeb3d0eU, 0x40162580571ef38cU,
       0x40960a82c3eba59aU},
      {384, 0x4017cd753dc63374U, 0x4017d01f05479589U, 0x628fe31152b7ef6bU, 0x4017d7c94e7fa04cU,
       0x409dabf65927040dU},
      {512.125, 0x4018f44b5cd99681U, 0x4018f64abd162798U, 0x6e1ca50d002ea701U, 0x4019fe757d24184aU,
       0x40a4f1342328b3e9U},
      {700, 0x401a344e6741ebabU, 0x401a35c4a0a661ecU, 0x7f0d945df4f8ec8eU, 0x401c8c84d049829aU,
       0x40ae56ccac496936U},
  };
  for (const Recorded& r : kRecorded) {
    SCOPED_TRACE(r.x);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_log(r.x)), r.log);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_log1p(r.x)), r.log1p);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_exp(r.x)), r.exp);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_pow(r.x, 0.3)), r.power);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(exact_lgamma(r.x)), r.lgamma);
  }
}

}  // namespace
}  // namespace paco::math
