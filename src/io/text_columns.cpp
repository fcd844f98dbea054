#include "io/text_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"

namespace paco::io {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(words.begin(), words.end(), lower) != words.end();
}

using Fields = std::vector<std::string>;

bool is_label_word(std::string_view field) { return is_one_of(field, {"label", "class"}); }
bool is_id_word(std::string_view field) {
  return is_one_of(field, {"id", "sample", "name", "file"});
}
// The header that pandas writes above the index column, or the name that it gives to that column
// when it reads the table again.
bool is_index_word(std::string_view field) { return is_one_of(field, {"", "index", "unnamed: 0"}); }

// True if the fields that are not words are the integers first, first + 1, ...
bool counts_from(const Fields& fields, std::int64_t first, bool (*is_word)(std::string_view)) {
  for (const std::string& field : fields) {
    if (is_word(field)) continue;
    if (parse_integer(field) != first) return false;
    ++first;
  }
  return true;
}

bool is_own_word(std::string_view field) {
  return is_label_word(field) || is_id_word(field) || is_index_word(field);
}

bool is_header(const Fields& fields) {
  const auto is_number = [](const std::string& field) { return parse_number(field).has_value(); };
  if (fields[0].empty() || std::none_of(fields.begin(), fields.end(), is_number)) return true;
  return std::any_of(fields.begin(), fields.end(), is_own_word) &&
         counts_from(fields, 0, is_own_word);
}

bool is_no_word(std::string_view) { return false; }

// At least four numbers 0, 1, 2, ... are the header that pandas writes for columns without names,
// and are unlikely to be a sample.
bool may_be_numbered_header(const Fields& fields) {
  return fields.size() >= 4 && counts_from(fields, 0, is_no_word);
}
// It is not a header if the row below continues the count: then all values of the table are
// numbered.
bool is_numbered_header(const Fields& fields, const Fields& below) {
  return !counts_from(below, static_cast<std::int64_t>(fields.size()), is_no_word);
}

// "0,25" if something else separates the fields; or "5 0", the middle field of "1,5 0,25" split at
// commas.
bool has_decimal_comma(std::string_view field) {
  const std::size_t comma = field.find(',');
  if (comma != field.npos) {
    std::string with_point(field);
    with_point[comma] = '.';
    return parse_number(with_point).has_value();
  }
  const std::size_t space = field.find(' ');
  const std::size_t rest = field.find_first_not_of(' ', space);  // npos if there is no blank
  return rest != field.npos && parse_integer(field.substr(0, space)) &&
         parse_integer(field.substr(rest));
}

Result<void> check_decimals(const CsvRow& row, const std::string& name) {
  const auto found = std::find_if(row.fields.begin(), row.fields.end(), has_decimal_comma);
  if (found == row.fields.end()) return {};
  return Error{ErrorCode::bad_value,
               fmt::format("{}: line {}: '{}' looks like a number with a decimal comma", name,
                           row.line, found->substr(0, 40)),
               "write numbers with a decimal point; in pandas to_csv(decimal='.')"};
}

// Assigns the columns that a header names. `below` is the first row of data.
void read_header(const Fields& header, const Fields& below, const std::string& name,
                 CsvLayout& layout, std::vector<bool>& taken) {
  const auto take = [&](std::optional<std::size_t>& column, bool (*is_word)(std::string_view)) {
    const auto found = std::find_if(header.begin(), header.end(), is_word);
    if (found == header.end()) return;
    column = static_cast<std::size_t>(found - header.begin());
    taken[*column] = true;
  };
  take(layout.label, is_label_word);
  take(layout.id, is_id_word);
  if (!is_index_word(header[0])) return;
  // A column of fractions is not an index, whatever its header.
  const bool fraction = parse_number(below[0]) && !parse_integer(below[0]);
  if (fraction && !header[0].empty()) return;
  taken[0] = true;
  if (!layout.id) layout.id = 0;
  if (!header[0].empty() || *layout.id != 0) {
    layout.notes.push_back(
        fmt::format("{}: column '{}' is taken for the index of the rows: {}", name, header[0],
                    *layout.id == 0 ? "it names them and is no value" : "it is left out"));
  }
}

Result<std::optional<CsvRow>> next_row(CsvReader& reader) {
  std::vector<std::string_view> fields;
  PACO_ASSIGN(const bool more, reader.next(fields));
  if (!more) return std::optional<CsvRow>();
  CsvRow row{{fields.begin(), fields.end()}, reader.line()};
  PACO_TRY(check_decimals(row, reader.name()));
  return std::optional(std::move(row));
}

}  // namespace

std::optional<std::size_t> find_label_column(const std::vector<std::string_view>& fields) {
  const auto found = std::find_if(fields.begin(), fields.end(), is_label_word);
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

Result<CsvLayout> read_csv_layout(CsvReader& reader) {
  CsvLayout layout;
  PACO_ASSIGN(auto first, next_row(reader));
  std::optional<CsvRow> header;
  if (first) {
    layout.columns = first->fields.size();
    const bool certain = is_header(first->fields);
    if (certain || may_be_numbered_header(first->fields)) {
      PACO_ASSIGN(auto second, next_row(reader));
      if (certain || (second && is_numbered_header(first->fields, second->fields))) {
        if (!certain) {
          layout.notes.push_back(
              fmt::format("{}: line {} counts the columns and is taken for their names",
                          reader.name(), first->line));
        }
        header = std::move(first);
        first = std::move(second);
      } else if (second) {
        layout.first_rows.push_back(std::move(*second));
      }
    }
  }
  if (!first) {
    return Error{ErrorCode::bad_shape, fmt::format("{}: holds no samples", reader.name()),
                 "a table has one sample a line"};
  }
  const Fields& fields = first->fields;
  std::vector<bool> taken(layout.columns);
  if (header && fields.size() == layout.columns)
    read_header(header->fields, fields, reader.name(), layout, taken);
  for (std::size_t c = 0; c < std::min(fields.size(), layout.columns); ++c) {
    if (taken[c]) continue;
    if (!layout.id && !fields[c].empty() && !parse_number(fields[c])) {
      layout.id = c;
    } else {
      layout.values.push_back(c);
    }
  }
  layout.first_rows.push_front(std::move(*first));
  return layout;
}

Result<nlohmann::json> parse_json_line(std::string_view text, const std::string& name,
                                       std::uint64_t line) {
  auto value = parse_json(text, fmt::format("{}: line {}", name, line));
  if (value.ok()) return value;
  return Error{value.error().code, value.error().message,
               "jsonl holds one complete JSON value on every line"};
}

const nlohmann::json* find_key(const nlohmann::json& object,
                               std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto found = object.find(key); found != object.end()) return &*found;
  }
  return nullptr;
}

}  // namespace paco::io
