#include "core/printable.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace paco::core {
namespace {

// One character of UTF-8: its code point and its bytes; 0 bytes if the text is not valid UTF-8.
struct Character {
  std::uint32_t point = 0;
  std::size_t bytes = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
  std::uint32_t point = byte(0) & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3fu);
  }
  // Invalid: longer than necessary, half of a UTF-16 surrogate pair, or beyond the last code point.
  const bool overlong = (bytes == 3 && point < 0x800) || (bytes == 4 && point < 0x10000);
  if (overlong || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff) return {};
  return {point, bytes};
}

// Control characters, and those that change the direction of the text around them.
bool acts_on_terminal(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
         (point >= 0x200e && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069);
}

std::string shown(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    if (c.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (!acts_on_terminal(c.point) || (lines && (c.point == '\n' || c.point == '\t'))) {
      out.append(text.substr(0, c.bytes));
    } else if (c.point == '\n' || c.point == '\r' || c.point == '\t') {
      out.append(c.point == '\n' ? "\\n" : c.point == '\r' ? "\\r" : "\\t");
    } else {
      out +=
          c.point < 0x100 ? fmt::format("\\x{:02x}", c.point) : fmt::format("\\u{:04x}", c.point);
    }
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return out;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character c = first_character(text);
    if (c.bytes == 0) return false;
    text.remove_prefix(c.bytes);
  }
  return true;
}

std::string printable(std::string_view text) { return shown(text, false); }

std::string printable_lines(std::string_view text) { return shown(text, true); }

}  // namespace paco::core
