#include "data/text_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.hpp"

namespace paco {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(words.begin(), words.end(), lower) != words.end();
}

// pandas writes an empty first name over its row index and numbers over the rest.
bool is_header(const std::vector<std::string_view>& fields) {
  const auto is_text = [](std::string_view field) { return !parse_number(field); };
  return fields[0].empty() || std::all_of(fields.begin(), fields.end(), is_text);
}

bool is_label_word(std::string_view field) { return is_one_of(field, {"label", "class"}); }

}  // namespace

std::optional<std::size_t> find_label_column(const std::vector<std::string_view>& fields) {
  const auto found = std::find_if(fields.begin(), fields.end(), is_label_word);
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

Result<CsvLayout> read_csv_layout(CsvReader& reader) {
  CsvLayout layout;
  std::vector<std::string_view> fields;
  PACO_ASSIGN(bool more, reader.next(fields));
  std::vector<bool> taken;
  if (more) {
    layout.columns = fields.size();
    taken.resize(fields.size());
    if (is_header(fields)) {
      for (std::size_t c = 0; c < fields.size(); ++c) {
        if (!layout.label && is_label_word(fields[c])) {
          layout.label = c;
        } else if (!layout.id && (is_one_of(fields[c], {"id", "sample", "name", "file"}) ||
                                  (c == 0 && fields[c].empty()))) {
          layout.id = c;
        } else {
          continue;
        }
        taken[c] = true;
      }
      PACO_ASSIGN(more, reader.next(fields));
    }
  }
  if (!more) {
    return Error{ErrorCode::bad_shape, fmt::format("{}: holds no samples", reader.name()),
                 "a table has one sample a line"};
  }
  layout.first_row.assign(fields.begin(), fields.end());
  for (std::size_t c = 0; c < std::min(fields.size(), layout.columns); ++c) {
    if (taken[c]) continue;
    if (!layout.id && !fields[c].empty() && !parse_number(fields[c])) {
      layout.id = c;
    } else {
      layout.values.push_back(c);
    }
  }
  return layout;
}

Result<nlohmann::json> parse_json_line(std::string_view text, const std::string& name,
                                       std::uint64_t line) {
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& error) {
    // The library's text names its own error number first; what a reader needs comes after the
    // bracket.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.find(']') + 2, what.size()));
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: line {} is not JSON: {}", name, line, what),
                 "jsonl holds one complete JSON value on every line"};
  }
}

const nlohmann::json* find_key(const nlohmann::json& object,
                               std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto found = object.find(key); found != object.end()) return &*found;
  }
  return nullptr;
}

}  // namespace paco
