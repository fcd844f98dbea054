#include "data/format.hpp"

#include <algorithm>
#include <cstring>

#include "base/files.hpp"
#include "data/npy.hpp"

namespace paco {
namespace {

bool has_at(std::span<const std::byte> head, std::size_t offset, std::string_view magic) {
  return head.size() >= offset + magic.size() &&
         std::memcmp(head.data() + offset, magic.data(), magic.size()) == 0;
}

// Text has no control characters but white space. Bytes above 127 may be letters of UTF-8.
bool is_text(std::span<const std::byte> head) {
  return std::all_of(head.begin(), head.end(), [](std::byte b) {
    const auto c = std::to_integer<unsigned char>(b);
    return c >= 32 ? c != 127 : c == '\n' || c == '\r' || c == '\t';
  });
}

}  // namespace

FileFormat detect_format(std::span<const std::byte> head) {
  using namespace std::string_view_literals;
  if (head.empty()) return FileFormat::empty;
  if (looks_like_npy(head)) return FileFormat::npy;
  if (has_at(head, 0, "PK\3\4"sv) || has_at(head, 0, "PK\5\6"sv)) return FileFormat::zip;
  if (has_at(head, 257, "ustar"sv)) return FileFormat::tar;
  if (has_at(head, 0, "\xff\xd8\xff"sv)) return FileFormat::jpeg;
  if (has_at(head, 0, "\x89PNG"sv)) return FileFormat::png;
  if (has_at(head, 0, "RIFF"sv) && has_at(head, 8, "WEBP"sv)) return FileFormat::webp;
  if (has_at(head, 0, "\0\0\x08\1"sv) || has_at(head, 0, "\0\0\x08\3"sv)) return FileFormat::idx;
  if (is_text(head)) {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    return json ? FileFormat::jsonl : FileFormat::text;
  }
  if (head.size() >= 9 && head[8] == std::byte{'{'}) {
    std::uint64_t length;
    std::memcpy(&length, head.data(), 8);
    if (length < (std::uint64_t{1} << 32)) return FileFormat::safetensors;
  }
  if (head.size() >= 8) {
    std::uint32_t dimension;
    std::memcpy(&dimension, head.data(), 4);
    if (dimension >= 1 && dimension <= (1u << 20)) return FileFormat::fvecs;
  }
  return FileFormat::unknown;
}

std::string_view format_name(FileFormat format) {
  switch (format) {
    case FileFormat::npy:
      return "npy";
    case FileFormat::zip:
      return "npz";
    case FileFormat::safetensors:
      return "safetensors";
    case FileFormat::jsonl:
      return "jsonl";
    case FileFormat::text:
      return "csv";
    case FileFormat::fvecs:
      return "fvecs";
    case FileFormat::idx:
      return "idx";
    case FileFormat::tar:
      return "tar";
    case FileFormat::jpeg:
      return "jpeg";
    case FileFormat::png:
      return "png";
    case FileFormat::webp:
      return "webp";
    case FileFormat::empty:
      return "empty";
    case FileFormat::unknown:
      return "unknown";
  }
  return "unknown";
}

MemberPath split_member(const std::string& path) {
  const std::size_t mark = path.rfind('#');
  if (mark == std::string::npos || mark == 0 || path_kind(path) != PathKind::absent)
    return {path, ""};
  return {path.substr(0, mark), path.substr(mark + 1)};
}

}  // namespace paco
