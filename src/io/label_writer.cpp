#include "io/label_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/npy.hpp"

namespace paco::io {
namespace {

// One element for each character; every byte that is not valid UTF-8 counts as one.
std::vector<char32_t> characters_of(const std::string& text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    char32_t point = length == 1 ? byte : byte & (0xffu >> (length + 1));
    bool valid = (byte < 0x80 || byte >= 0xc2) && byte < 0xf5 && at + length <= text.size();
    for (std::size_t i = 1; valid && i < length; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      valid = (next & 0xc0) == 0x80;
      point = (point << 6) | (next & 0x3f);
    }
    constexpr char32_t kReplacement = 0xfffd;
    out.push_back(valid ? point : kReplacement);
    at += valid ? length : 1;
  }
  return out;
}

Result<void> write_text_array(const std::string& path, std::span<const std::string> names) {
  std::vector<std::vector<char32_t>> rows;
  std::size_t longest = 1;
  for (const std::string& name : names) {
    rows.push_back(characters_of(name));
    longest = std::max(longest, rows.back().size());
  }
  std::string dictionary = fmt::format(
      "{{'descr': '<U{}', 'fortran_order': False, 'shape': ({},), }}", longest, names.size());
  constexpr std::size_t kBefore = 10, kAlignment = 64;
  while ((kBefore + dictionary.size() + 1) % kAlignment != 0) dictionary += ' ';
  dictionary += '\n';
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(dictionary.size() & 0xff);
  head += static_cast<char>(dictionary.size() >> 8);
  PACO_TRY(file.write(head + dictionary));
  for (std::vector<char32_t>& row : rows) {
    row.resize(longest);
    PACO_TRY(file.write(std::as_bytes(std::span(row))));
  }
  return file.commit();
}

bool writes_labels(const Format& format) { return format.write_labels != nullptr; }

}  // namespace

Result<void> write_text_labels(const std::string& path, std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) {
    if (name.find_first_of("\r\n") != name.npos)
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: the class name '{}' has a line break", path, name),
                   "write the labels into a .npy file"};
    text += name + "\n";
  }
  return core::write_file(path, text);
}

Result<void> write_npy_labels(const std::string& path, std::span<const std::string> names) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names) {
    const auto number = name.empty() ? std::optional<std::int64_t>(-1) : parse_integer(name);
    // Same rule as the reader in labels.hpp: "01" is a name.
    if (!number || (!name.empty() && std::to_string(*number) != name))
      return write_text_array(path, names);
    numbers.push_back(*number);
  }
  const std::uint64_t shape[] = {numbers.size()};
  return write_npy<std::int64_t>(path, shape, numbers);
}

Result<void> check_label_file(const std::string& path) {
  if (path.empty()) return {};
  PACO_TRY(format_to_write(path, "labels", writes_labels));
  return {};
}

Result<void> write_labels(const std::string& path, std::span<const std::string> names) {
  PACO_ASSIGN(const Format* format, format_to_write(path, "labels", writes_labels));
  return format->write_labels(path, names);
}

}  // namespace paco::io
