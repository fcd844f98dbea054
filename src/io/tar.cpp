#include "io/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/try.hpp"

namespace paco::io {
namespace {

constexpr std::size_t kTarBlock = 512;
constexpr std::uint64_t kMaxName = 1 << 16;

Error damaged(const std::string& name, std::uint64_t offset, std::string_view what) {
  return Error{ErrorCode::bad_format,
               fmt::format("{}: not a readable tar archive: at byte {}: {}", name, offset, what),
               "pack or download it again"};
}

// A field of characters that ends at its first zero byte or at its full width.
std::string_view text_field(std::span<const std::byte> header, std::size_t offset,
                            std::size_t width) {
  const std::string_view field(reinterpret_cast<const char*>(header.data()) + offset, width);
  return field.substr(0, field.find('\0'));
}

// Octal digits, or (GNU, for large files) a binary number marked by the highest bit.
std::optional<std::uint64_t> number_field(std::span<const std::byte> header, std::size_t offset,
                                          std::size_t width) {
  const auto field = header.subspan(offset, width);
  std::uint64_t value = 0;
  if (std::to_integer<int>(field[0]) & 0x80) {
    if (field[0] != std::byte{0x80}) return std::nullopt;  // negative, or beyond 64 bits
    for (std::size_t i = 1; i < width; ++i) {
      if (value >> 55) return std::nullopt;
      value = value << 8 | std::to_integer<std::uint64_t>(field[i]);
    }
    return value;
  }
  std::string_view digits = text_field(header, offset, width);
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  if (digits.empty()) return 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool checksum_fits(std::span<const std::byte> header) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : std::to_integer<std::uint64_t>(header[i]);
  }
  return number_field(header, 148, 8) == sum;
}

// The properties of the next entry that a pax header or a GNU long name sets.
struct Override {
  std::optional<std::string> path;
  std::optional<std::uint64_t> size;
};

// Parses records "LENGTH KEY=VALUE\n"; false if they are damaged.
bool read_pax(std::string_view text, Override& next) {
  while (!text.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto head = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length > text.size() || head + 2 > length || text[head] != ' ' ||
        text[length - 1] != '\n') {
      return false;
    }
    const std::string_view record = text.substr(head + 1, length - head - 2);
    const std::size_t equals = record.find('=');
    if (equals == record.npos) return false;
    const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
    if (key == "path") next.path = std::string(value);
    if (key == "size") {
      std::uint64_t size = 0;
      const auto [stop, problem] = std::from_chars(value.data(), value.data() + value.size(), size);
      if (problem != std::errc() || stop != value.data() + value.size()) return false;
      next.size = size;
    }
    if (key.starts_with("GNU.sparse")) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool leads_outside(std::string_view path) {
  if (path.starts_with('/')) return true;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

std::string own_name(std::span<const std::byte> header) {
  const std::string_view prefix =
      text_field(header, 257, 6) == "ustar" ? text_field(header, 345, 155) : std::string_view();
  std::string name(prefix);
  if (!name.empty()) name += '/';
  return name += text_field(header, 0, 100);
}

}  // namespace

Result<std::vector<TarEntry>> list_tar(const FileBytes& bytes, const std::string& name) {
  std::vector<TarEntry> entries;
  std::vector<std::byte> header_buffer, text_buffer;
  Override next;
  std::uint64_t at = 0;
  while (true) {
    if (bytes.size() - at < kTarBlock) return damaged(name, at, "it ends without its end mark");
    PACO_ASSIGN(const auto header, bytes.at(at, kTarBlock, header_buffer));
    if (std::all_of(header.begin(), header.end(), [](std::byte b) { return b == std::byte{0}; }))
      return entries;
    if (!checksum_fits(header)) return damaged(name, at, "an entry's check sum is wrong");
    const auto own_size = number_field(header, 124, 12);
    const char type = static_cast<char>(header[156]);
    const bool about_next = type == 'x' || type == 'L' || type == 'K' || type == 'g';
    const std::uint64_t start = at + kTarBlock;
    if (!own_size) return damaged(name, at, "an entry's size is damaged");
    const std::uint64_t size = about_next ? *own_size : next.size.value_or(*own_size);
    if (size > bytes.size() - start)
      return damaged(name, at, fmt::format("an entry of {} bytes reaches beyond the end", size));

    if (about_next && size > kMaxName) return damaged(name, at, "a name is too long");
    std::string_view text;
    if (about_next) {
      PACO_ASSIGN(const auto shown, bytes.at(start, size, text_buffer));
      text = {reinterpret_cast<const char*>(shown.data()), shown.size()};
    }
    if (type == 'L') {
      next.path = std::string(text.substr(0, text.find('\0')));
    } else if (type == 'x') {
      if (!read_pax(text, next))
        return damaged(name, at, "an extended header is damaged or describes a sparse file");
    } else if (type == 'S') {
      return damaged(name, at, "sparse files are not read");
    } else if (!about_next) {
      std::string path = next.path.value_or(own_name(header));
      if (leads_outside(path) || path.find('\0') != path.npos) {
        return Error{ErrorCode::bad_format,
                     fmt::format("{}: the name '{}' leads out of the archive", name, path),
                     "do not trust this archive; pack it again from its own folder"};
      }
      while (path.starts_with("./")) path.erase(0, 2);
      const bool regular = type == '0' || type == '\0' || type == '7';
      if (regular && !path.empty() && !path.ends_with('/'))
        entries.push_back({std::move(path), start, size});
      next = {};
    }
    const std::uint64_t padded = (size + kTarBlock - 1) / kTarBlock * kTarBlock;
    at = start + std::min<std::uint64_t>(padded, bytes.size() - start);
  }
}

}  // namespace paco::io
