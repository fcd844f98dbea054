// Digits and a power of ten as the nearest double, in a few operations.
//
// For parsers that have split a number into its parts. The few numbers that lie too near the middle
// between two doubles, and those beyond the powers here, are left to the standard library.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace paco::io {
namespace decimal {

// Powers of ten that are doubles.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;

// The first 64 bits, the highest of them set, of 10 ^ -0, 10 ^ -1, ... What is cut off is less than
// 2 ^ -63 of the power.
constexpr std::size_t kMostPlaces = 48;
constexpr std::array<std::uint64_t, kMostPlaces + 1> kTenths = [] {
  std::array<std::uint64_t, kMostPlaces + 1> powers{};
  // 128 bits, so that what every step cuts off stays out of sight. The highest part is first.
  std::array<std::uint64_t, 4> parts{std::uint64_t{1} << 31, 0, 0, 0};
  for (std::uint64_t& power : powers) {
    power = parts[0] << 32 | parts[1];
    std::uint64_t rest = 0;
    for (std::uint64_t& part : parts) {
      const std::uint64_t now = rest << 32 | part;
      part = now / 10;
      rest = now % 10;
    }
    while (parts[0] >> 31 == 0) {
      std::uint64_t carry = 0;
      for (std::size_t i = parts.size(); i-- > 0;) {
        parts[i] = parts[i] << 1 | carry;
        carry = parts[i] >> 32;
        parts[i] &= 0xFFFFFFFF;
      }
    }
  }
  return powers;
}();

// The upper half of the product of two numbers of 64 bits, or up to two less.
inline std::uint64_t upper_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  return (a >> 32) * (b >> 32) + ((a >> 32) * (b & kLow) >> 32) + ((a & kLow) * (b >> 32) >> 32);
}

// digits * 10 ^ -places, where 64 bits of the product tell how it is rounded.
inline bool rounded_product(std::uint64_t digits, std::size_t places, double& value) {
  if (digits == 0 || places > kMostPlaces) return false;
  const int zeros = std::countl_zero(digits);
  std::uint64_t product = upper_product(digits << zeros, kTenths[places]);
  const int above = std::countl_zero(product);  // 0 or 1
  product <<= above;
  // Of the product 53 bits stay. It is at least what stands here, and less than 16 more: two for
  // each of the cuts, doubled by the shift.
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 10, kError = 16;
  const std::uint64_t tail = product & (2 * kHalf - 1);
  if (kHalf - tail < kError) return false;  // it may be on either side, or in the middle
  const std::uint64_t rounded = (product >> 11) + (tail > kHalf ? 1 : 0);
  // 10 ^ -places lies in [2 ^ -power, 2 ^ (1 - power)); 217706 / 2 ^ 16 is the logarithm of ten.
  const int power = static_cast<int>((217706 * places + 65535) >> 16);
  const int exponent = 64 + 11 - 63 - power - zeros - above;
  const auto scale = static_cast<std::uint64_t>(exponent + 1023) << 52;
  value = static_cast<double>(rounded) * std::bit_cast<double>(scale);
  return true;
}

}  // namespace decimal

// digits * 10 ^ exponent as the nearest double; false where that takes a longer way.
inline bool nearest_double(std::uint64_t digits, std::ptrdiff_t exponent, double& value) {
  using namespace decimal;
  constexpr std::ptrdiff_t kMostPower = kPowers.size() - 1;
  // Where digits and power are doubles, one division or product rounds once.
  const bool exact = digits <= kExactIntegers;
  if (exact && exponent <= 0 && exponent >= -kMostPower) {
    value = static_cast<double>(digits) / kPowers[static_cast<std::size_t>(-exponent)];
    return true;
  }
  if (exact && exponent > 0 && exponent <= kMostPower) {
    value = static_cast<double>(digits) * kPowers[static_cast<std::size_t>(exponent)];
    return true;
  }
  return exponent <= 0 && rounded_product(digits, static_cast<std::size_t>(-exponent), value);
}

}  // namespace paco::io
