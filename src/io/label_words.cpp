#include "io/label_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/printable.hpp"
#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/label_rows.hpp"
#include "io/labels.hpp"
#include "io/text_columns.hpp"

namespace paco::io {
namespace {

using Words = std::vector<std::string>;

// Reads a table with a header that names the column, or one label per line, which may contain any
// separator.
Result<Words> csv_words(CsvReader& reader) {
  std::vector<std::string_view> fields;
  PACO_ASSIGN(bool more, reader.next(fields));
  if (!more) return Words();
  const std::optional<std::size_t> column = find_label_column(fields);
  const std::size_t columns = column ? fields.size() : 1;
  const char separator = reader.separator();
  if (column) {
    PACO_ASSIGN(more, reader.next(fields));
  } else {
    PACO_TRY(reader.one_field_a_row(fields));
  }
  Words words;
  while (more) {
    if (fields.size() != columns) {
      return Error{ErrorCode::bad_shape,
                   fmt::format("{}: line {} (row {}) has {} fields, the first has {}",
                               reader.name(), reader.line(), words.size(), fields.size(), columns),
                   "put names that contain the separator in quotes"};
    }
    words.emplace_back(fields[column.value_or(0)]);
    PACO_ASSIGN(more, reader.next(fields));
  }
  if (column || separator == '\n') return words;
  // If all lines have the same number of separators and none repeats, the file is a table without a
  // header.
  const auto separators = [&](const std::string& word) {
    return std::count(word.begin(), word.end(), separator);
  };
  const auto expected = separators(words[0]);
  const bool even = expected > 0 && std::all_of(words.begin(), words.end(), [&](const auto& word) {
                      return separators(word) == expected;
                    });
  if (even && std::set<std::string>(words.begin(), words.end()).size() == words.size()) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: every line has {} fields and no line occurs twice; which "
                             "field is the label?",
                             reader.name(), expected + 1),
                 "put a header line on top that says \"label\" over it"};
  }
  return words;
}

Result<std::string> json_word(const nlohmann::json& value, const std::string& name,
                              std::uint64_t line) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  return Error{ErrorCode::bad_value,
               fmt::format("{}: line {} has a label that is neither text nor integer", name, line),
               "a line is a label, or an object with the key \"label\""};
}

Result<void> add_words(const nlohmann::json& value, const std::string& name, std::uint64_t line,
                       Words& words) {
  if (value.is_array()) {
    for (const auto& item : value) {
      PACO_ASSIGN(std::string word, json_word(item, name, line));
      words.push_back(std::move(word));
    }
    return {};
  }
  const nlohmann::json* label = value.is_object() ? find_key(value, {"label", "class"}) : &value;
  PACO_ASSIGN(std::string word, json_word(label ? *label : nlohmann::json(), name, line));
  words.push_back(std::move(word));
  return {};
}

// A label or an object on each line; or one list of labels, on one line or on many.
Result<Words> json_words(std::string_view text, const std::string& name) {
  Words words;
  if (const auto whole = parse_json(text, name); whole.ok()) {
    PACO_TRY(add_words(*whole, name, 1, words));
    return words;
  }
  for (std::uint64_t line = 1; !text.empty(); ++line) {
    const std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(row.size() + 1, text.size()));
    if (is_blank_line(row)) continue;
    PACO_ASSIGN(const nlohmann::json value, parse_json_line(row, name, line));
    PACO_TRY(add_words(value, name, line, words));
  }
  return words;
}

// Names may start with a bracket as well. The text is JSON if it parses, as a whole or in its first
// line, or if its start can only be JSON, so that broken JSON is not taken for names.
bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || (text[first] != '[' && text[first] != '{')) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", first + 1);
  if (next == text.npos || text[next] == '"' || json_nests_deeper(text)) return true;
  const std::string_view line = text.substr(first, text.find('\n', first) - first);
  return parse_json(line, "").ok() || parse_json(text, "").ok();
}

// Lines at the top that start with "#" are comments, unless lines further down start with "#" too.
std::string_view without_comments(std::string_view text) {
  std::string_view rest = text;
  while (rest.starts_with("# ") || rest.starts_with("#\n"))
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  return rest.starts_with('#') || rest.find("\n#") != rest.npos ? text : rest;
}

// Checks that no line is empty and that no two lines are equal.
Result<void> check_lines(const Words& lines, std::string_view what, std::string_view why,
                         const std::string& path) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty() && seen.insert(lines[i]).second) continue;
    return Error{
        ErrorCode::bad_value,
        lines[i].empty()
            ? fmt::format("{}: line {} is blank", path, i + 1)
            : fmt::format("{}: line {}: {} '{}' is in it twice", path, i + 1, what, lines[i]),
        fmt::format("{}: one {} on every line, each once", why, what == "class" ? "name" : what)};
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> canonical_number(std::string_view word) {
  const auto number = parse_integer(word);
  return number && std::to_string(*number) == word ? number : std::nullopt;
}

bool are_numbered(std::span<const std::string> class_names) {
  return std::all_of(class_names.begin(), class_names.end(), [](const std::string& name) {
    return !parse_integer(name) || canonical_number(name);
  });
}

Result<void> check_words(std::span<const std::string> words, std::string_view what,
                         const std::string& name) {
  for (std::size_t row = 0; row < words.size(); ++row) {
    if (core::is_utf8(words[row])) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: row {}: the {} '{}' is not UTF-8", name, row, what,
                             core::printable(words[row])),
                 "write the file as UTF-8, e.g. with 'iconv -f latin1 -t utf-8'"};
  }
  return {};
}

Result<LabelRows> read_text_labels(ByteStream stream) {
  PACO_ASSIGN(const auto bytes, stream.read_rest(kMaxTextBytes));
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  LabelRows rows;
  if (is_json(text)) {
    PACO_ASSIGN(rows.words, json_words(text, stream.name()));
    return rows;
  }
  const std::string_view lines = without_comments(text);
  CsvReader reader(ByteStream::from_bytes(std::as_bytes(std::span(lines)), stream.name()), false,
                   false);
  PACO_ASSIGN(rows.words, csv_words(reader));
  return rows;
}

Result<std::vector<std::string>> parse_class_names(std::string_view text, const std::string& path) {
  Words names;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  if (is_json(text)) {
    PACO_ASSIGN(names, json_words(text, path));
  } else {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      names.emplace_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
    while (!names.empty() && names.back().empty()) names.pop_back();
  }
  PACO_TRY(check_words(names, "class", path));
  PACO_TRY(check_lines(names, "class", "the line number is the class number", path));
  return names;
}

Result<std::vector<std::string>> parse_keys(std::string_view text, const std::string& path) {
  Words keys;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    keys.emplace_back(line);
  }
  while (!keys.empty() && keys.back().empty()) keys.pop_back();
  PACO_TRY(check_words(keys, "key", path));
  PACO_TRY(check_lines(keys, "key", "line and row belong together", path));
  return keys;
}

}  // namespace paco::io
