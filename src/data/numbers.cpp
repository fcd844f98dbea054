#include "data/numbers.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace paco {
namespace {

// Powers of ten that are doubles.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::array<std::uint64_t, 9> kIntegerPowers = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;
constexpr std::ptrdiff_t kMostDigits = 18;  // whatever they are, they fit into 64 bits

// A number as it stands in the text.
struct Scanned {
  std::size_t length = 0;  // 0: none
  bool negative = false;
  bool is_short = true;  // digits and exponent have all been taken in
  std::uint64_t digits = 0;
  std::ptrdiff_t exponent = 0;  // value = digits * 10 ^ exponent
};

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// How many of the eight characters, from the lowest byte on, are digits.
unsigned leading_digits(std::uint64_t text) {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0, kZeros = 0x3030303030303030;
  // A digit is 0x30 to 0x39: the upper half is 3, and still is with 6 added. A sum that runs over
  // disturbs characters behind one that is no digit, where nobody looks.
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

// Digits and power are both doubles without rounding, so one division or product rounds once: to
// the nearest.
std::optional<double> exact_value(const Scanned& s) {
  constexpr auto kMostPower = static_cast<std::ptrdiff_t>(kPowers.size()) - 1;
  if (!s.is_short || s.digits > kExactIntegers || s.exponent < -kMostPower ||
      s.exponent > kMostPower) {
    return std::nullopt;
  }
  double value = static_cast<double>(s.digits);
  if (s.exponent < 0) value /= kPowers[static_cast<std::size_t>(-s.exponent)];
  if (s.exponent > 0) value *= kPowers[static_cast<std::size_t>(s.exponent)];
  return s.negative ? -value : value;
}

// A number as most of an embedding are, "-1.234567": one digit, a point and up to 14 more. Its few
// steps hardly ever branch, for the next number waits for where this one ends. How many characters
// it has; 0 where it is of another kind or too near the end, for scan().
std::size_t read_usual_number(const char* at, const char* end, double& value) {
  if constexpr (std::endian::native != std::endian::little) return 0;
  if (end - at < 19) return 0;
  const std::size_t negative = *at == '-' ? 1 : 0;
  const char* const first = at + negative;
  const auto whole = static_cast<std::uint64_t>(static_cast<unsigned char>(*first - '0'));
  if (whole > 9 || first[1] != '.') return 0;
  std::uint64_t text;
  std::memcpy(&text, first + 2, sizeof text);
  unsigned count = leading_digits(text);
  if (count == 0) return 0;
  std::uint64_t digits = whole * kIntegerPowers[count] + digits_value(text, count);
  if (count == 8) {
    std::memcpy(&text, first + 10, sizeof text);
    const unsigned more = leading_digits(text);
    if (more > 6) return 0;  // so that all of them are a double
    if (more > 0) digits = digits * kIntegerPowers[more] + digits_value(text, more);
    count += more;
  }
  const std::size_t length = negative + 2 + count;
  if ((at[length] | 0x20) == 'e') return 0;
  const double size = static_cast<double>(digits) / kPowers[count];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) |
                                (static_cast<std::uint64_t>(negative) << 63));
  return length;
}

}  // namespace

std::size_t read_short_number(std::string_view text, double& value) {
  const std::size_t usual = read_usual_number(text.data(), text.data() + text.size(), value);
  if (usual > 0) return usual;
  const Scanned s = scan(text);
  if (s.length == 0) return 0;
  const auto exact = exact_value(s);
  if (!exact) return 0;
  value = *exact;
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

bool read_number_row(std::string_view text, char separator, std::span<double> values) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && (at >= text.size() || text[at++] != separator)) return false;
    const std::size_t length = read_short_number(text.substr(at), values[i]);
    if (length == 0) return false;
    at += length;
  }
  return at == text.size();
}

std::optional<std::size_t> read_number_list(std::string_view text, std::vector<double>& values) {
  values.clear();
  std::size_t at = 1;
  const auto pass_spaces = [&] {
    while (at < text.size() && is_space(text[at])) ++at;
    return at < text.size();
  };
  if (text.empty() || text[0] != '[' || !pass_spaces()) return std::nullopt;
  if (text[at] == ']') return at + 1;
  while (pass_spaces()) {
    double value = 0;
    const std::size_t length = read_number(text.substr(at), value);
    if (length == 0) return std::nullopt;
    values.push_back(value);
    at += length;
    if (!pass_spaces()) return std::nullopt;
    if (text[at] == ']') return at + 1;
    if (text[at] != ',') return std::nullopt;
    ++at;
  }
  return std::nullopt;
}

}  // namespace paco
