#include "io/format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/all_formats.hpp"

namespace paco::io {
namespace {

const Format kEmpty{.name = "empty", .suffix = ""};
const Format kUnknown{.name = "unknown", .suffix = ""};

std::deque<Format>& table() {
  static std::deque<Format> formats = all_formats();
  return formats;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 32 ? byte != '\n' && byte != '\r' && byte != '\t' : byte == 127;
}

bool is_certain(const Format& format, std::span<const std::byte> head) {
  if (&format == &kEmpty || &format == &kUnknown) return false;
  return format.is_certain == nullptr || format.is_certain(head);
}

}  // namespace

const std::deque<Format>& formats() { return table(); }
void add_format(Format format) { table().push_front(format); }

const Format* find_format(std::string_view name) {
  const auto& all = formats();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Format& format) { return format.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const Format& detect_format(std::span<const std::byte> head) {
  if (head.empty()) return kEmpty;
  for (const Format& format : formats()) {
    if (format.recognise != nullptr && format.recognise(head)) return format;
  }
  return kUnknown;
}

Result<const Format*> detect_format(ByteStream& stream) {
  std::size_t shown = 0;
  while (true) {
    PACO_ASSIGN(const auto head, stream.peek(shown + 1));
    const auto first = head.first(std::min(head.size(), kDetectBytes));
    const Format& format = detect_format(first);
    if (head.size() <= shown || head.size() >= kDetectBytes || is_certain(format, first))
      return &format;
    shown = head.size();
  }
}

// Text has no control characters except white space; bytes above 127 may be letters of UTF-8. Names
// further down may have a few control characters, but the first line has none.
bool looks_like_text(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
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

std::string format_names(const std::function<bool(const Format&)>& fits,
                         std::string_view Format::*word) {
  std::vector<std::string_view> words;
  for (const Format& format : formats()) {
    if (fits(format)) words.push_back(format.*word);
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

Error not_held(const Format& format, const std::string& name, std::string_view what,
               std::string hint) {
  if (&format == &kEmpty) {
    return {ErrorCode::bad_format, fmt::format("{}: is empty", name),
            "check the program that wrote it"};
  }
  return {ErrorCode::unsupported,
          &format == &kUnknown
              ? fmt::format("{}: not a file of {} that can be read here", name, what)
              : fmt::format("{}: a file of kind {} holds no {}", name, format.name, what),
          std::move(hint)};
}

Result<const Format*> format_to_write(const std::string& path, std::string_view what,
                                      const std::function<bool(const Format&)>& writes) {
  for (const Format& format : formats()) {
    if (writes(format) && path.ends_with(format.suffix)) return &format;
  }
  return Error{ErrorCode::bad_argument,
               fmt::format("{}: the name does not say how to write {}", path, what),
               fmt::format("end it in {}", format_names(writes, &Format::suffix))};
}

MemberPath split_member(const std::string& path) {
  const std::size_t mark = path.rfind('#');
  if (mark == std::string::npos || mark == 0 || core::path_kind(path) != core::PathKind::absent)
    return {path, ""};
  return {path.substr(0, mark), path.substr(mark + 1)};
}

}  // namespace paco::io
