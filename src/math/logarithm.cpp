// See logarithm.hpp. The leading terms are kept as sums of two doubles, so that the value before
// the final rounding is accurate to some 60 bits; the small rest of each series is in plain double.
#include "math/logarithm.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace paco::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An unevaluated sum: `low` is the part that does not fit into `high`.
struct Pair {
  double high;
  double low;
};

// log 2; `high` has 42 bits, so that its product with an exponent is exact.
constexpr Pair kLog2 = {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45};
constexpr double kInverseLog2 = 0x1.71547652b82fep+0;
constexpr Pair kHalfLogOf2Pi = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};

constexpr Pair exact_sum(double a, double b) {
  const double sum = a + b;
  const double taken = sum - a;
  return {sum, (a - (sum - taken)) + (b - taken)};
}

// The upper half of the bits of x, so that a product of two halves is exact.
constexpr double upper_half(double x) {
  const double spread = x * 134217729.0;  // 2^27 + 1
  return spread - (spread - x);
}

constexpr Pair exact_product(double a, double b) {
  const double product = a * b;
  const double a1 = upper_half(a), a2 = a - a1;
  const double b1 = upper_half(b), b2 = b - b1;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

constexpr Pair plus(Pair a, Pair b) {
  const Pair sum = exact_sum(a.high, b.high);
  return exact_sum(sum.high, sum.low + (a.low + b.low));
}

constexpr Pair times(Pair a, double b) {
  const Pair product = exact_product(a.high, b);
  return exact_sum(product.high, product.low + a.low * b);
}

constexpr Pair divided(double a, double b) {
  const double quotient = a / b;
  const Pair product = exact_product(quotient, b);
  return {quotient, ((a - product.high) - product.low) / b};
}

// The inverse of a number near the middle of each of 128 intervals, and minus the logarithm of that
// inverse.
struct Step {
  double inverse;   // a multiple of 1/256
  double log_high;  // a multiple of 2^-42, so that the sum with e kLog2.high is exact
  double log_low;
};

// The intervals cover [kFirst, 2 kFirst) and are 1/256 wide below 1 and 1/128 above.
constexpr int kSteps = 128;
constexpr double kFirst = 0.6875;
constexpr std::uint64_t kFirstBits = std::bit_cast<std::uint64_t>(kFirst);

constexpr Step step(int i) {
  constexpr int kBelowOne = 80;
  const double middle = i < kBelowOne ? kFirst + (i + 0.5) / 256 : 1 + (i - kBelowOne + 0.5) / 128;
  // The two intervals next to 1 use the number 1, so that a logarithm near zero is not a difference
  // of two others.
  const bool at_one = i == kBelowOne - 1 || i == kBelowOne;
  const double n = at_one ? 256 : static_cast<double>(static_cast<int>(256 / middle + 0.5));
  // log(n / 256) = 2 atanh(s), s = (n - 256) / (n + 256): s + s^3 / 3 + s^5 / 5 + ..., all in
  // pairs.
  const Pair s = divided(n - 256, n + 256);
  const Pair square = plus(times(s, s.high), times(s, s.low));
  Pair power = s, sum = s;
  for (int k = 3; k < 61; k += 2) {
    power = plus(times(power, square.high), times(power, square.low));
    const Pair share = divided(1, k);
    sum = plus(sum, plus(times(power, share.high), times(power, share.low)));
  }
  constexpr double kRound = 1536;  // its last bit is 2^-42
  const double high = (-2 * sum.high + kRound) - kRound;
  return {n / 256, high, (-2 * sum.high - high) - 2 * sum.low};
}

constexpr std::array<Step, kSteps> kTable = [] {
  std::array<Step, kSteps> table{};
  for (int i = 0; i < kSteps; ++i) table[static_cast<std::size_t>(i)] = step(i);
  return table;
}();

// log(x) + correction for 0 < x < infinity, where the correction is small beside it. With
// x = 2^e m and f = m / c - 1, |f| < 1/128, it is e log 2 + log c + log(1 + f).
Pair log_pair(double x, double correction) {
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t beyond = bits - kFirstBits;
  const auto power = static_cast<std::int64_t>(beyond) >> 52;
  const Step& of = kTable[(beyond >> 45) % kSteps];
  const std::uint64_t m_bits = bits - (static_cast<std::uint64_t>(power) << 52);
  const auto m = std::bit_cast<double>(m_bits);
  const auto m_high = std::bit_cast<double>(m_bits & ~std::uint64_t{0x7ffffff});
  const auto e = static_cast<double>(exponent + static_cast<int>(power));

  // Both products are exact: 26 bits and 27 bits with 9. So is the sum f + f_low.
  const double coarse = m_high * of.inverse - 1;
  const double fine = (m - m_high) * of.inverse;
  const double f = coarse + fine;
  const double f_low = (coarse - f) + fine;

  // log(1 + f) = f - f^2 / 2 + f^3 / 3 - ...; f^10 / 10 is below 2^-66 of f.
  double series = 1.0 / 9;
  series = series * f - 1.0 / 8;
  series = series * f + 1.0 / 7;
  series = series * f - 1.0 / 6;
  series = series * f + 1.0 / 5;
  series = series * f - 1.0 / 4;
  series = series * f + 1.0 / 3;
  series = series * f - 1.0 / 2;

  const double whole = e * kLog2.high + of.log_high;  // exact; zero, or larger than f
  const double high = whole + f;
  const double low =
      ((whole - high) + f) + (f_low + (of.log_low + e * kLog2.low) + correction) + series * (f * f);
  const double rounded = high + low;
  return {rounded, (high - rounded) + low};
}

// exp(x + low) for |x| < 800. With r = x - k log 2, |r| < 0.35, it is 2^k exp(r).
double exp_of(double x, double low) {
  const double k = std::floor(x * kInverseLog2 + 0.5);
  const Pair near = exact_sum(x, -k * kLog2.high);
  const Pair r = exact_sum(near.high, near.low + (low - k * kLog2.low));
  const Pair square = exact_product(r.high, r.high);

  // exp(r) = 1 + r + r^2 / 2 + r^3 (1 / 6 + r / 24 + ...); r^16 / 16! is below 2^-68.
  double series = 1.0 / 1307674368000;
  series = series * r.high + 1.0 / 87178291200;
  series = series * r.high + 1.0 / 6227020800;
  series = series * r.high + 1.0 / 479001600;
  series = series * r.high + 1.0 / 39916800;
  series = series * r.high + 1.0 / 3628800;
  series = series * r.high + 1.0 / 362880;
  series = series * r.high + 1.0 / 40320;
  series = series * r.high + 1.0 / 5040;
  series = series * r.high + 1.0 / 720;
  series = series * r.high + 1.0 / 120;
  series = series * r.high + 1.0 / 24;
  series = series * r.high + 1.0 / 6;
  const double cubic = square.high * r.high * series;

  const Pair one = exact_sum(1, r.high);
  const Pair two = exact_sum(one.high, square.high / 2);
  const double small = r.low + square.low / 2 + r.high * r.low + (one.low + two.low);
  return std::ldexp(two.high + (cubic + small), static_cast<int>(k));
}

constexpr double kExpOverflows = 710;
constexpr double kExpVanishes = -746;

}  // namespace

double exact_log(double x) {
  if (!(x > 0)) return x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == kInfinity) return x;
  return log_pair(x, 0).high;
}

double exact_log1p(double x) {
  if (!(x > -1)) return x == -1 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == kInfinity) return x;
  if (std::abs(x) < 0x1p-20) return x - x * x * (1.0 / 2 - x * (1.0 / 3 - x / 4));
  const Pair sum = exact_sum(1, x);
  return log_pair(sum.high, sum.low / sum.high).high;
}

double exact_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > kExpOverflows) return kInfinity;
  if (x < kExpVanishes) return 0;
  return exp_of(x, 0);
}

double exact_pow(double x, double y) {
  const double guess = y * exact_log(x);
  if (std::isnan(guess)) return guess;
  if (guess > kExpOverflows) return kInfinity;
  if (guess < kExpVanishes) return 0;
  const Pair power = times(log_pair(x, 0), y);
  return exp_of(power.high, power.low);
}

double exact_lgamma(double x) {
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 1 || x == 2) return 0;
  // gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)): Stirling's series wants a large x.
  constexpr double kLargeEnough = 16;
  Pair factors = {1, 0};
  for (; x < kLargeEnough; x += 1) factors = times(factors, x);
  const double inverse = 1 / x;
  const double square = inverse * inverse;
  double series = 1.0 / 156;
  series = series * square - 691.0 / 360360;
  series = series * square + 1.0 / 1188;
  series = series * square - 1.0 / 1680;
  series = series * square + 1.0 / 1260;
  series = series * square - 1.0 / 360;
  series = series * square + 1.0 / 12;
  const Pair powers = plus(times(log_pair(x, 0), x - 0.5), {-x, 0});
  const Pair of_large = plus(plus(powers, kHalfLogOf2Pi), {series * inverse, 0});
  const Pair of_factors = log_pair(factors.high, factors.low / factors.high);
  return plus(of_large, {-of_factors.high, -of_factors.low}).high;
}

}  // namespace paco::math
