#include "io/format.hpp"

#include <algorithm>
#include <cstring>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/json.hpp"
#include "io/npy.hpp"

namespace paco::io {
namespace {

bool has_at(std::span<const std::byte> head, std::size_t offset, std::string_view magic) {
  return head.size() >= offset + magic.size() &&
         std::memcmp(head.data() + offset, magic.data(), magic.size()) == 0;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 32 ? byte != '\n' && byte != '\r' && byte != '\t' : byte == 127;
}

std::string_view as_text(std::span<const std::byte> head) {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

// Text has no control characters but white space; bytes above 127 may be letters of UTF-8. A name
// further down may have some: they are few, and the first line has none.
bool is_text(std::string_view text) {
  const auto controls = std::count_if(text.begin(), text.end(), is_control);
  if (controls == 0) return true;
  if (static_cast<std::size_t>(8 * controls) > text.size()) return false;
  if (text.substr(0, 8).find('\0') != text.npos) return false;  // the size of something
  const std::size_t first = text.find_first_not_of("\r\n");
  const std::size_t stop = text.find('\n', first);
  if (stop == text.npos) return false;
  const std::string_view line = text.substr(first, stop - first);
  return std::none_of(line.begin(), line.end(), is_control);
}

// The length of a safetensors header stands before it. Rows of fvecs may begin with the same bytes,
// a dimension and 0.0, so the header must also be text that begins as JSON objects do, and be one
// where it is here as a whole.
bool is_safetensors(std::span<const std::byte> head) {
  if (head.size() < 10) return false;
  std::uint64_t length;
  std::memcpy(&length, head.data(), 8);
  if (length >= (std::uint64_t{1} << 32)) return false;
  const std::string_view text = as_text(head).substr(8, length);
  if (!text.starts_with('{') || std::any_of(text.begin(), text.end(), is_control)) return false;
  if (text.size() == length) return parse_json(text, "").ok();
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next == text.npos || text[next] == '"' || text[next] == '}';
}

// Values of a row where these bytes can be fvecs, or 0.
std::uint32_t fvecs_dimension(std::span<const std::byte> head) {
  std::uint32_t dimension = 0;
  if (head.size() >= 4) std::memcpy(&dimension, head.data(), 4);
  return dimension <= (1u << 20) ? dimension : 0;
}

// Whether more bytes could not change what detect_format() says of these, or only after the first
// row, which is reason enough: who waits for an answer does not write on.
bool enough_to_tell(std::span<const std::byte> head) {
  if (head.size() >= kDetectBytes) return true;
  const FileFormat format = detect_format(head);
  if (format == FileFormat::text || format == FileFormat::jsonl) {
    const std::size_t first = as_text(head).find_first_not_of(" \t\r\n");
    return as_text(head).find('\n', first) != std::string_view::npos;
  }
  if (const std::size_t dimension = fvecs_dimension(head)) return head.size() >= 4 + 4 * dimension;
  return format != FileFormat::unknown && format != FileFormat::empty;
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
  if (const std::string_view text = as_text(head); is_text(text)) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    return json ? FileFormat::jsonl : FileFormat::text;
  }
  if (is_safetensors(head)) return FileFormat::safetensors;
  if (head.size() >= 8 && fvecs_dimension(head) > 0) return FileFormat::fvecs;
  return FileFormat::unknown;
}

Result<FileFormat> detect_format(ByteStream& stream) {
  std::size_t shown = 0;
  while (true) {
    PACO_ASSIGN(const auto head, stream.peek(shown + 1));
    const auto first = head.first(std::min(head.size(), kDetectBytes));
    if (head.size() <= shown || enough_to_tell(first)) return detect_format(first);
    shown = head.size();
  }
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
  if (mark == std::string::npos || mark == 0 || core::path_kind(path) != core::PathKind::absent)
    return {path, ""};
  return {path.substr(0, mark), path.substr(mark + 1)};
}

}  // namespace paco::io
