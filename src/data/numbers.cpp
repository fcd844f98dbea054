#include "data/numbers.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace paco {
namespace {

// Powers of ten that are doubles.
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
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

Scanned scan(std::string_view text) {
  Scanned s;
  const char *at = text.data(), *const end = at + text.size();
  if (at < end && *at == '-') {
    s.negative = true;
    ++at;
  }
  const char* const whole = at;
  for (; at < end && is_digit(*at); ++at)
    s.digits = 10 * s.digits + static_cast<std::uint64_t>(*at - '0');
  std::ptrdiff_t count = at - whole;
  if (count == 0 || (count > 1 && *whole == '0')) return {};
  if (at < end && *at == '.') {
    const char* const fraction = ++at;
    for (; at < end && is_digit(*at); ++at)
      s.digits = 10 * s.digits + static_cast<std::uint64_t>(*at - '0');
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

}  // namespace

std::size_t read_short_number(std::string_view text, double& value) {
  const Scanned s = scan(text);
  if (s.length == 0) return 0;
  const auto exact = exact_value(s);
  if (!exact) return 0;
  value = *exact;
  return s.length;
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
    const Scanned s = scan(text.substr(at));
    if (s.length == 0) return std::nullopt;
    if (const auto exact = exact_value(s)) {
      values.push_back(*exact);
    } else {
      double value = 0;
      const char* const first = text.data() + at;
      const auto parsed = std::from_chars(first, first + s.length, value);
      if (parsed.ec != std::errc() || parsed.ptr != first + s.length) return std::nullopt;
      values.push_back(value);
    }
    at += s.length;
    if (!pass_spaces()) return std::nullopt;
    if (text[at] == ']') return at + 1;
    if (text[at] != ',') return std::nullopt;
    ++at;
  }
  return std::nullopt;
}

}  // namespace paco
