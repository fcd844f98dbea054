#include "io/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/try.hpp"
#include "io/array_file.hpp"
#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/label_rows.hpp"
#include "io/label_words.hpp"
#include "io/npy_header.hpp"

namespace paco::io {
namespace {

// Class numbers are indices of a list of names. A larger number indicates the wrong file, not many
// classes.
constexpr std::int64_t kMaxClass = 1 << 20;

using Words = std::vector<std::string>;

Result<Labels> from_numbers(std::vector<std::int64_t> ids, const std::string& name,
                            std::span<const std::string> first) {
  Labels labels{std::move(ids), Words(first.begin(), first.end())};
  for (std::size_t row = 0; row < labels.ids.size(); ++row) {
    const std::int64_t id = labels.ids[row];
    if (id < 0 || id > kMaxClass) {
      return Error{
          ErrorCode::bad_value, fmt::format("{}: row {}: {} is not a class number", name, row, id),
          fmt::format("class numbers count from 0 to at most {}; or give names", kMaxClass)};
    }
    while (static_cast<std::size_t>(id) >= labels.names.size()) {
      labels.names.push_back(std::to_string(labels.names.size()));
    }
  }
  return labels;
}

Result<Labels> from_words(const Words& words, const std::string& name,
                          std::span<const std::string> first) {
  PACO_TRY(check_words(words, "label", name));
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words) {
    const auto number = canonical_number(word);
    if (!number) break;
    numbers.push_back(*number);
  }
  if (numbers.size() == words.size() && are_numbered(first))
    return from_numbers(std::move(numbers), name, first);

  std::map<std::string, std::int64_t> index;
  for (const std::string& word : first) index.emplace(word, index.size());
  Labels labels{{}, Words(first.begin(), first.end())};
  const std::set<std::string> distinct(words.begin(), words.end());
  for (const std::string& word : distinct) {
    if (index.emplace(word, static_cast<std::int64_t>(labels.names.size())).second)
      labels.names.push_back(word);
  }
  for (const std::string& word : words) labels.ids.push_back(index.at(word));
  return labels;
}

void append_utf8(std::uint32_t point, std::string& out) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += {static_cast<char>(0xc0 | (point >> 6)), static_cast<char>(0x80 | (point & 0x3f))};
  } else if (point < 0x10000) {
    out +=
        {static_cast<char>(0xe0 | (point >> 12)), static_cast<char>(0x80 | ((point >> 6) & 0x3f)),
         static_cast<char>(0x80 | (point & 0x3f))};
  } else {
    out +=
        {static_cast<char>(0xf0 | ((point >> 18) & 7)),
         static_cast<char>(0x80 | ((point >> 12) & 0x3f)),
         static_cast<char>(0x80 | ((point >> 6) & 0x3f)), static_cast<char>(0x80 | (point & 0x3f))};
  }
}

// One element of a text array: characters of a fixed width, padded with zeros.
std::string decode_text(const NpyHeader& header, const std::byte* bytes) {
  std::string word;
  for (std::size_t at = 0; at < header.text_bytes; at += header.text_unit) {
    std::uint32_t point = std::to_integer<std::uint32_t>(bytes[at]);
    if (header.text_unit == 4) {
      std::memcpy(&point, bytes + at, 4);
      if (header.swapped) point = __builtin_bswap32(point);
      if (point != 0) append_utf8(point, word);
    } else {
      word += static_cast<char>(point);
    }
    if (point == 0) break;
  }
  while (!word.empty() && word.back() == '\0') word.pop_back();
  return word;
}

Result<LabelRows> rows_of(ByteStream stream, const NpyHeader& header) {
  const std::string& name = stream.name();
  // (N,) is expected; (N, 1) is common and means the same.
  if (header.shape.empty() || header.elements != header.shape[0]) {
    return Error{
        ErrorCode::bad_shape,
        fmt::format("{}: has shape {}, labels have one dimension", name, shape_text(header.shape)),
        header.shape.size() == 2 ? "are these embeddings? One-hot rows need argmax(1) first"
                                 : "give one label a sample"};
  }
  if (header.text_bytes == 0 && is_floating(header.type)) {
    return Error{
        ErrorCode::unsupported,
        fmt::format("{}: holds {}, labels are integers or names", name, element_name(header.type)),
        "save it with astype('int64')"};
  }
  const std::size_t size = header.element_bytes();
  LabelRows rows;
  rows.numbered = header.text_bytes == 0;
  for (std::uint64_t row = 0; row < header.elements; ++row) {
    PACO_ASSIGN(auto ready, stream.peek(size));
    if (ready.size() < size) return npy_truncated(name, header, row);
    std::int64_t number = 0;
    if (!rows.numbered) {
      rows.words.push_back(decode_text(header, ready.data()));
    } else if (to_integers(header.type, header.swapped, ready.data(), {&number, 1})) {
      rows.numbers.push_back(number);
    } else {
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: row {} is too large for a class number", name, row),
                   "class numbers count from 0"};
    }
    stream.consume(size);
  }
  PACO_TRY(expect_npy_end(stream));
  return rows;
}

Result<LabelRows> read_rows(ByteStream stream, const std::string& member, bool truth) {
  PACO_ASSIGN(const Format* format, detect_format(stream));
  const std::string name = stream.name();
  if (format->arrays != nullptr) {
    PACO_ASSIGN(auto bytes, FileBytes::rest_of(stream));
    PACO_ASSIGN(const ArrayFile arrays, format->arrays(std::move(bytes), name));
    PACO_ASSIGN(auto array, arrays.choose(member, "labels", 1));
    return rows_of(std::move(array.stream), array.header);
  }
  if (truth && format->truth != nullptr) return format->truth(std::move(stream));
  if (format->labels != nullptr) return format->labels(std::move(stream));
  return not_held(*format, name, "labels",
                  fmt::format("give {}", format_names(&Format::holds_labels)));
}

Result<Labels> from_stream(ByteStream stream, const std::string& member,
                           std::span<const std::string> first) {
  const std::string name = stream.name();
  PACO_ASSIGN(LabelRows rows, read_label_rows(std::move(stream), member));
  return rows.numbered ? from_numbers(std::move(rows.numbers), name, first)
                       : from_words(rows.words, name, first);
}

Result<Labels> at_least_one(Result<Labels> labels, const std::string& name) {
  if (!labels.ok() || !labels->ids.empty()) return labels;
  return Error{ErrorCode::bad_shape, fmt::format("{}: holds no labels", name),
               "check the program that wrote it"};
}

Result<std::vector<std::byte>> text_of(const std::string& path, std::string_view what) {
  PACO_ASSIGN(auto stream, ByteStream::open(path));
  PACO_ASSIGN(const auto head, stream.peek(kDetectBytes));
  if (head.empty() || !looks_like_text(head.first(std::min(head.size(), kDetectBytes)))) {
    return Error{ErrorCode::bad_format, fmt::format("{}: not a text file of {}s", path, what),
                 fmt::format("write one {} a line", what)};
  }
  return stream.read_rest(kMaxTextBytes);
}

}  // namespace

Result<LabelRows> read_npy_labels(ByteStream stream) {
  PACO_ASSIGN(const NpyHeader header, read_npy_header(stream));
  return rows_of(std::move(stream), header);
}

Result<LabelRows> read_label_rows(ByteStream stream, const std::string& member) {
  return read_rows(std::move(stream), member, false);
}

Result<LabelRows> read_truth_rows(ByteStream stream, const std::string& member) {
  return read_rows(std::move(stream), member, true);
}

Result<Labels> read_labels(const std::string& path, std::span<const std::string> first) {
  const MemberPath parts = split_member(path);
  PACO_ASSIGN(auto stream, ByteStream::open(parts.path));
  return at_least_one(from_stream(std::move(stream), parts.member, first), path);
}

Result<Labels> parse_labels(std::span<const std::byte> bytes, const std::string& name,
                            std::span<const std::string> first) {
  return at_least_one(from_stream(ByteStream::from_bytes(bytes, name), "", first), name);
}

Result<std::vector<std::string>> read_class_names(const std::string& path) {
  PACO_ASSIGN(const auto bytes, text_of(path, "class name"));
  return parse_class_names({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

Result<std::vector<std::string>> read_keys(const std::string& path) {
  PACO_ASSIGN(const auto bytes, text_of(path, "key"));
  return parse_keys({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace paco::io
