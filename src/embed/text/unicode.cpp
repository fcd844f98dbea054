#include "embed/text/unicode.hpp"

#include <utf8proc.h>

namespace paco::embed {
namespace {

struct PointRange {
  char32_t first, last;
};
// The blocks of CJK ideographs that BERT's normaliser takes apart. Hangul, Hiragana and Katakana
// are written in words and are none of them.
constexpr PointRange kIdeographs[] = {{0x4e00, 0x9fff},   {0x3400, 0x4dbf},   {0x20000, 0x2a6df},
                                      {0x2a700, 0x2b73f}, {0x2b740, 0x2b81f}, {0x2b920, 0x2ceaf},
                                      {0xf900, 0xfaff},   {0x2f800, 0x2fa1f}};

utf8proc_category_t category_of(char32_t point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(point));
}

}  // namespace

char32_t next_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) {
    ++at;
    return first;
  }
  utf8proc_int32_t point = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                      static_cast<utf8proc_ssize_t>(text.size() - at), &point);
  if (bytes <= 0) {
    ++at;
    return kReplacement;
  }
  at += static_cast<std::size_t>(bytes);
  return static_cast<char32_t>(point);
}

void append_point(char32_t point, std::string& out) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  utf8proc_uint8_t bytes[4];
  const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(point), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
}

std::optional<std::size_t> invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t before = at;
    // A replacement that is written out takes three bytes.
    if (next_point(text, at) == kReplacement && at == before + 1) return before;
  }
  return std::nullopt;
}

bool is_space(char32_t point) {
  if (point < 0x80) return point == ' ' || (point >= '\t' && point <= '\r');
  if (point == 0x85) return true;
  const auto category = category_of(point);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool is_control(char32_t point) {
  if (point < 0x80)
    return (point < 0x20 && point != '\t' && point != '\n' && point != '\r') || point == 0x7f;
  const auto category = category_of(point);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_CO;
}

bool is_punctuation(char32_t point) {
  if (point < 0x80)
    return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') ||
           (point >= '[' && point <= '`') || (point >= '{' && point <= '~');
  const auto category = category_of(point);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_mark(char32_t point) {
  return point >= 0x300 && category_of(point) == UTF8PROC_CATEGORY_MN;
}

bool is_ideograph(char32_t point) {
  if (point < 0x3400) return false;
  for (const PointRange& range : kIdeographs)
    if (point >= range.first && point <= range.last) return true;
  return false;
}

std::size_t decompose(char32_t point, char32_t (&parts)[kMostParts]) {
  parts[0] = point;
  if (point < 0xc0) return 1;
  utf8proc_int32_t found[kMostParts];
  int boundary = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(point), found,
                                             kMostParts, UTF8PROC_DECOMPOSE, &boundary);
  if (count < 1 || count > static_cast<utf8proc_ssize_t>(kMostParts)) return 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    parts[i] = static_cast<char32_t>(found[i]);
  return static_cast<std::size_t>(count);
}

char32_t small_letter(char32_t point) {
  if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + 32 : point;
  if (point == 0x130) return 'i';
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
}

}  // namespace paco::embed
