#include "embed/images/exif.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace paco::embed {
namespace {

// Bytes as a number; bytes beyond the end count as zero.
std::uint32_t number_in(std::span<const std::byte> bytes, std::size_t offset, std::size_t width,
                        bool big) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t at = offset + (big ? i : width - 1 - i);
    value = value << 8 | (at < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at]) : 0);
  }
  return value;
}

bool begins_with(std::span<const std::byte> bytes, std::string_view text) {
  if (bytes.size() < text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (std::to_integer<char>(bytes[i]) != text[i]) return false;
  return true;
}

constexpr std::string_view kExif("Exif\0\0", 6);

// The segments before the picture itself.
std::span<const std::byte> exif_of_jpeg(std::span<const std::byte> file) {
  constexpr std::uint32_t kApp1 = 0xffe1, kScan = 0xffda;
  std::size_t at = 2;
  while (at + 4 <= file.size()) {
    const std::uint32_t marker = number_in(file, at, 2, true);
    if (marker >> 8 != 0xff || marker == kScan) return {};
    if (marker == 0xffff) {
      ++at;
      continue;
    }
    const std::size_t length = number_in(file, at + 2, 2, true);
    if (length < 2 || at + 2 + length > file.size()) return {};
    const auto segment = file.subspan(at + 4, length - 2);
    if (marker == kApp1 && begins_with(segment, kExif)) return segment.subspan(kExif.size());
    at += 2 + length;
  }
  return {};
}

// PNG and RIFF: parts with a length and a name of four letters.
std::span<const std::byte> part_of(std::span<const std::byte> file, std::size_t at,
                                   std::string_view name, bool is_png) {
  while (at + 8 <= file.size()) {
    const std::size_t length = number_in(file, at + (is_png ? 0 : 4), 4, is_png);
    if (length > file.size() - at - 8) return {};
    const auto body = file.subspan(at + 8, length);
    if (begins_with(file.subspan(at + (is_png ? 4 : 0)), name))
      return begins_with(body, kExif) ? body.subspan(kExif.size()) : body;
    at += 8 + length + (is_png ? 4 : length % 2);
  }
  return {};
}

class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes)
      : bytes_(bytes), big_(bytes.size() > 1 && bytes[0] == std::byte{'M'}) {}

  bool is_valid() const {
    return bytes_.size() > 8 && bytes_[0] == bytes_[1] &&
           (bytes_[0] == std::byte{'I'} || bytes_[0] == std::byte{'M'}) && number(2, 2) == 42;
  }
  std::uint32_t number(std::size_t offset, std::size_t width) const {
    return number_in(bytes_, offset, width, big_);
  }
  // The offset of a tag's entry in the list at `list`.
  std::optional<std::size_t> find(std::size_t list, std::uint32_t tag) const {
    const std::uint32_t entries = number(list, 2);
    for (std::uint32_t i = 0; i < entries; ++i) {
      const std::size_t entry = list + 2 + i * kEntryBytes;
      if (entry + kEntryBytes > bytes_.size()) return std::nullopt;
      if (number(entry, 2) == tag) return entry;
    }
    return std::nullopt;
  }
  // The list that an entry of the first list points to; 0 if there is none.
  std::size_t list_at(std::uint32_t tag) const {
    const auto entry = find(number(4, 4), tag);
    return entry ? number(*entry + 8, 4) : 0;
  }
  std::string text(std::size_t entry) const {
    const std::size_t count = number(entry + 4, 4);
    const std::size_t from = count > 4 ? number(entry + 8, 4) : entry + 8;
    if (number(entry + 2, 2) != kTextType || from > bytes_.size() || count > bytes_.size() - from)
      return {};
    std::string out;
    for (std::size_t i = 0; i < count && bytes_[from + i] != std::byte{0}; ++i)
      out += std::to_integer<char>(bytes_[from + i]);
    return out;
  }
  // Degrees, minutes and seconds as one number; NaN if they are not valid.
  double degrees(std::size_t entry) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (number(entry + 2, 2) != kRatioType || number(entry + 4, 4) != 3) return kNone;
    const std::size_t from = number(entry + 8, 4);
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double below = number(from + 8 * i + 4, 4);
      if (below == 0) return kNone;
      sum += number(from + 8 * i, 4) / below / std::pow(60.0, static_cast<double>(i));
    }
    return sum;
  }

 private:
  static constexpr std::size_t kEntryBytes = 12;
  static constexpr std::uint32_t kTextType = 2, kRatioType = 5;
  std::span<const std::byte> bytes_;
  bool big_;
};

// "2026:05:01 12:30:00"; cameras without a clock write blanks or zeros.
std::string time_of(const std::string& text) {
  constexpr std::string_view kForm = "0000:00:00 00:00:00";
  if (text.size() != kForm.size() || text.starts_with("0000")) return {};
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != kForm[i]) return {};
  }
  std::string out = text;
  out[4] = out[7] = '-';
  return out;
}

std::string taken_of(const Tiff& tiff) {
  constexpr std::uint32_t kMoreTag = 0x8769, kTakenTag = 0x9003, kChangedTag = 0x0132;
  const std::size_t more = tiff.list_at(kMoreTag);
  if (const auto entry = more == 0 ? std::nullopt : tiff.find(more, kTakenTag)) {
    if (std::string time = time_of(tiff.text(*entry)); !time.empty()) return time;
  }
  const auto entry = tiff.find(tiff.number(4, 4), kChangedTag);
  return entry ? time_of(tiff.text(*entry)) : std::string();
}

std::string place_of(const Tiff& tiff) {
  constexpr std::uint32_t kPlaceTag = 0x8825;
  enum PlaceTag : std::uint32_t { north_or_south = 1, latitude, east_or_west, longitude };
  const std::size_t list = tiff.list_at(kPlaceTag);
  if (list == 0) return {};
  const auto side = [&](PlaceTag tag) {
    const auto entry = tiff.find(list, tag);
    return entry ? tiff.text(*entry) : std::string();
  };
  const auto degrees = [&](PlaceTag tag) {
    const auto entry = tiff.find(list, tag);
    return entry ? tiff.degrees(*entry) : std::numeric_limits<double>::quiet_NaN();
  };
  const std::string ns = side(north_or_south), ew = side(east_or_west);
  const double north = degrees(latitude) * (ns == "S" ? -1 : 1);
  const double east = degrees(longitude) * (ew == "W" ? -1 : 1);
  const bool is_place = (ns == "N" || ns == "S") && (ew == "E" || ew == "W") &&
                        std::abs(north) <= 90 && std::abs(east) <= 180;
  return is_place ? fmt::format("{:.5f}, {:.5f}", north, east) : std::string();
}

}  // namespace

std::span<const std::byte> exif_of(std::span<const std::byte> file) {
  if (begins_with(file, "\xff\xd8\xff")) return exif_of_jpeg(file);
  if (begins_with(file, "\x89PNG")) return part_of(file, 8, "eXIf", true);
  if (begins_with(file, "RIFF")) return part_of(file, 12, "EXIF", false);
  return {};
}

int exif_orientation(std::span<const std::byte> exif) {
  constexpr std::uint32_t kOrientationTag = 0x0112, kShortType = 3;
  const Tiff tiff(exif);
  if (!tiff.is_valid()) return 1;
  const auto entry = tiff.find(tiff.number(4, 4), kOrientationTag);
  if (!entry) return 1;
  const std::uint32_t value = tiff.number(*entry + 8, 2);
  const bool valid = tiff.number(*entry + 2, 2) == kShortType && value >= 1 && value <= 8;
  return valid ? static_cast<int>(value) : 1;
}

ExifNotes exif_notes(std::span<const std::byte> exif) {
  const Tiff tiff(exif);
  if (!tiff.is_valid()) return {};
  return {taken_of(tiff), place_of(tiff)};
}

}  // namespace paco::embed
