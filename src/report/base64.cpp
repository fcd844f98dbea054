// Base64 of RFC 4648, encoding only.
#include "report/base64.hpp"

#include <bit>

namespace paco::report {

static_assert(std::endian::native == std::endian::little,
              "arrays are embedded as they lie in memory");

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      word = word << 8 | (k < left ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    text += kDigits[word >> 18];
    text += kDigits[word >> 12 & 63];
    text += left > 1 ? kDigits[word >> 6 & 63] : '=';
    text += left > 2 ? kDigits[word & 63] : '=';
  }
  return text;
}

}  // namespace paco::report
