// Pictures that come with samples: their type and size are read from their headers; they are never
// decoded here. Browsers get the true type and a header that forbids guessing it.
#include <array>

#include "server/samples.hpp"

namespace paco::server {
namespace {

std::uint64_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::uint64_t big(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

std::uint64_t little(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | byte_at(bytes, at + i);
  return value;
}

// Finds the first frame header; every segment before it has a length field.
std::optional<std::uint64_t> jpeg_pixels(std::string_view bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size()) {
    if (byte_at(bytes, at) != 0xff) return std::nullopt;
    const std::uint64_t marker = byte_at(bytes, at + 1);
    if (marker == 0xff) {
      ++at;
      continue;
    }
    const bool is_frame =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (is_frame) return big(bytes, at + 5, 2) * big(bytes, at + 7, 2);
    if (marker == 0xd9 || marker == 0xda) return std::nullopt;
    at += 2 + static_cast<std::size_t>(big(bytes, at + 2, 2));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> webp_pixels(std::string_view bytes) {
  if (bytes.size() < 30) return std::nullopt;
  const std::string_view kind = bytes.substr(12, 4);
  if (kind == "VP8X") return (little(bytes, 24, 3) + 1) * (little(bytes, 27, 3) + 1);
  if (kind == "VP8 ") return (little(bytes, 26, 2) & 0x3fff) * (little(bytes, 28, 2) & 0x3fff);
  if (kind != "VP8L") return std::nullopt;
  const std::uint64_t sizes = little(bytes, 21, 4);
  return ((sizes & 0x3fff) + 1) * ((sizes >> 14 & 0x3fff) + 1);
}

}  // namespace

std::string_view picture_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.size() > 16 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP")
    return "image/webp";
  return {};
}

std::optional<std::uint64_t> picture_pixels(std::string_view bytes) {
  const std::string_view type = picture_type(bytes);
  if (type == "image/jpeg") return jpeg_pixels(bytes);
  if (type == "image/webp") return webp_pixels(bytes);
  if (type != "image/png" || bytes.size() < 24) return std::nullopt;
  return big(bytes, 16, 4) * big(bytes, 20, 4);
}

std::optional<std::string> from_base64(std::string_view text) {
  static constexpr std::array<signed char, 256> kValues = [] {
    std::array<signed char, 256> values{};
    for (auto& value : values) value = -1;
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < kDigits.size(); ++i)
      values[static_cast<unsigned char>(kDigits[i])] = static_cast<signed char>(i);
    return values;
  }();
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t digits = i + 4 == text.size() ? 4 - padding : 4;
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const signed char value = k < digits ? kValues[static_cast<unsigned char>(text[i + k])]
                                           : static_cast<signed char>(0);
      if (value < 0) return std::nullopt;
      word = word << 6 | static_cast<std::uint32_t>(value);
    }
    out += static_cast<char>(word >> 16);
    if (digits > 2) out += static_cast<char>(word >> 8);
    if (digits > 3) out += static_cast<char>(word);
  }
  return out;
}

}  // namespace paco::server
