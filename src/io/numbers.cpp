#include "io/numbers.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "io/decimal.hpp"

namespace paco::io {
namespace {

constexpr std::array<std::uint64_t, 9> kIntegerPowers = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
constexpr std::ptrdiff_t kMostDigits = 19;  // whatever they are, they fit into 64 bits

// A number as it stands in the text.
struct Scanned {
  std::size_t length = 0;  // 0: none
  bool negative = false;
  bool is_short = true;  // digits and exponent have all been taken in
  std::uint64_t digits = 0;
  std::ptrdiff_t exponent = 0;  // value = digits * 10 ^ exponent
};

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// How many of the eight characters, from the lowest byte on, are digits.
unsigned leading_digits(std::uint64_t text) {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0, kZeros = 0x3030303030303030;
  // A digit is 0x30 to 0x39: the upper half is 3, and still is with 6 added. A sum that runs over
  // disturbs characters behind one that is no digit, which is not read.
  const std::uint64_t other =
      ((text & kHigh) ^ kZeros) | (((text + 0x0606060606060606) & kHigh) ^ kZeros);
  return static_cast<unsigned>(std::countr_zero(other)) / 8;
}

// The number that `count` (1 to 8) digits at the lowest bytes make.
std::uint64_t digits_value(std::uint64_t text, unsigned count) {
  // Each character becomes its digit; those behind are pushed out, zeros come in front.
  std::uint64_t value = (text ^ 0x3030303030303030) << (64 - 8 * count);
  value = value * 10 + (value >> 8);  // pairs of digits, in every second byte
  constexpr std::uint64_t kPairs = 0x000000FF000000FF;
  return ((value & kPairs) * (100 + (std::uint64_t{1'000'000} << 32)) +
          ((value >> 16) & kPairs) * (1 + (std::uint64_t{10'000} << 32))) >>
         32;
}

// Moves `at` behind the digits there and adds them to the end of `digits`. Eight at a time where
// there is room: how many digits a number has is hard to foresee for a processor that takes them
// one by one.
const char* take_digits(const char* at, const char* end, std::uint64_t& digits) {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - at >= 8) {
      std::uint64_t text;
      std::memcpy(&text, at, sizeof text);
      const unsigned count = leading_digits(text);
      if (count == 0) return at;
      digits = digits * kIntegerPowers[count] + digits_value(text, count);
      at += count;
      if (count < 8) return at;
    }
  }
  for (; at < end && is_digit(*at); ++at)
    digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
  return at;
}

Scanned scan(std::string_view text) {
  Scanned s;
  const char *at = text.data(), *const end = at + text.size();
  if (at < end && *at == '-') {
    s.negative = true;
    ++at;
  }
  const char* const whole = at;
  at = take_digits(at, end, s.digits);
  std::ptrdiff_t count = at - whole;
  if (count == 0 || (count > 1 && *whole == '0')) return {};
  if (at < end && *at == '.') {
    const char* const fraction = ++at;
    at = take_digits(at, end, s.digits);
    if (at == fraction) return {};
    s.exponent = fraction - at;
    count += at - fraction;
  }
  s.is_short = count <= kMostDigits;
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool below = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) ++at;
    const char* const first = at;
    std::ptrdiff_t exponent = 0;
    for (; at < end && is_digit(*at); ++at) {
      if (exponent < 10'000) exponent = 10 * exponent + (*at - '0');
    }
    if (at == first) return {};
    s.exponent += below ? -exponent : exponent;
  }
  s.length = static_cast<std::size_t>(at - text.data());
  return s;
}

}  // namespace

std::size_t read_short_number(std::string_view text, double& value) {
  const Scanned s = scan(text);
  if (s.length == 0 || !s.is_short || !nearest_double(s.digits, s.exponent, value)) return 0;
  if (s.negative) value = -value;
  return s.length;
}

std::size_t read_number(std::string_view text, double& value) {
  if (const std::size_t length = read_short_number(text, value); length > 0) return length;
  // The longer way, where it is a number.
  const std::size_t length = scan(text).length;
  const auto parsed = std::from_chars(text.data(), text.data() + length, value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + length;
  return whole ? length : 0;
}

}  // namespace paco::io
