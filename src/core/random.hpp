// Random number generators. They are always passed in and always have a seed: the same seed gives
// the same numbers on every machine and with every compiler. Two generators: numpy's legacy one,
// where results must agree with numpy's RandomState, and a modern one for everything else. Neither
// is safe to share between threads; give each its own stream instead. Not for secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace paco::core {

// numpy.random.RandomState(seed): the draws that this project needs, with numpy's values.
class NumpyLegacyRandom {
 public:
  explicit NumpyLegacyRandom(std::uint32_t seed) : engine_(seed) {}

  std::uint32_t next32() { return static_cast<std::uint32_t>(engine_()); }
  double uniform();                                     // random_sample(): [0, 1), 53 bits
  std::uint32_t at_most(std::uint32_t largest);         // 0 .. largest, by masked rejection
  std::vector<std::size_t> permutation(std::size_t n);  // of 0 .. n-1; n is at most 2^32

 private:
  std::mt19937 engine_;
};

// xoshiro256++ (Blackman and Vigna), seeded through splitmix64. `stream` selects one of the
// independent sequences of a seed, e.g. one for each sample, so that the numbers do not depend on
// the order in which threads draw them.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next64();
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  std::uint64_t below(std::uint64_t n);  // 0 .. n-1 without bias; n > 0
  double normal();                       // mean 0, variance 1

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }
  std::vector<std::size_t> permutation(std::size_t n);  // of 0 .. n-1

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_ = 0.0;  // normals come in pairs
  bool has_spare_ = false;
};

}  // namespace paco::core
