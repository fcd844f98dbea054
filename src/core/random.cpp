#include "core/random.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

namespace paco::core {
namespace {

// One step of splitmix64: turns any seed, including 0, 1 and 2, into well mixed words.
std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// Natural logarithm of 0 < x < 1 from additions, multiplications and divisions alone. The C
// library's log may differ in the last bit from one version to the next; this one cannot. log x = e
// log 2 + 2 atanh((m - 1) / (m + 1)).
double stable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact, m in [0.5, 1)
  if (m < 0.70710678118654752) {
    m *= 2.0;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);  // |s| < 0.172, so s^25 / 25 is below the last bit
  const double square = s * s;
  double series = 0.0;
  for (int power = 23; power >= 1; power -= 2) series = series * square + 1.0 / power;
  return exponent * 0.69314718055994531 + 2.0 * s * series;
}

}  // namespace

double NumpyLegacyRandom::uniform() {
  const std::uint32_t high = next32() >> 5;
  const std::uint32_t low = next32() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::uint32_t NumpyLegacyRandom::at_most(std::uint32_t largest) {
  if (largest == 0) return 0;
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(largest);
  for (;;) {
    const std::uint32_t word = next32() & mask;
    if (word <= largest) return word;
  }
}

std::vector<std::size_t> NumpyLegacyRandom::permutation(std::size_t n) {
  assert(n <= (std::uint64_t{1} << 32));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[at_most(static_cast<std::uint32_t>(i - 1))]);
  }
  return order;
}

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  // The stream is mixed before it is combined with the seed, so that (seed 1, stream 2) and (seed
  // 2, stream 1) give unrelated numbers.
  std::uint64_t mixed_stream = stream;
  std::uint64_t mix = seed ^ std::rotl(splitmix(mixed_stream), 17);
  for (std::uint64_t& word : state_) word = splitmix(mix);
}

std::uint64_t Random::next64() {
  const std::uint64_t answer = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return answer;
}

std::uint64_t Random::below(std::uint64_t n) {
  assert(n > 0);
  const std::uint64_t mask = n == 1 ? 0 : ~std::uint64_t{0} >> std::countl_zero(n - 1);
  for (;;) {
    // The high bits of xoshiro256++ are as good as the low ones; masking is exact and has no bias.
    const std::uint64_t word = next64() & mask;
    if (word < n) return word;
  }
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  // Marsaglia's polar method: a point in the unit disc gives two independent normals.
  for (;;) {
    const double x = uniform(-1.0, 1.0);
    const double y = uniform(-1.0, 1.0);
    const double square = x * x + y * y;
    if (square >= 1.0 || square == 0.0) continue;
    const double factor = std::sqrt(-2.0 * stable_log(square) / square);
    spare_ = y * factor;
    has_spare_ = true;
    return x * factor;
  }
}

std::vector<std::size_t> Random::permutation(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span<std::size_t>(order));
  return order;
}

}  // namespace paco::core
