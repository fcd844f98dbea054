#include "embed/text/text_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/try.hpp"
#include "embed/text/unicode.hpp"
#include "io/csv.hpp"
#include "io/json.hpp"

namespace paco::embed {
namespace {

using RowJson = nlohmann::json;

class Collector {
 public:
  Collector(std::string name, bool labelled) : name_(std::move(name)), labelled_(labelled) {}

  void add(std::string_view text, std::string_view label) {
    const std::size_t row = row_++;
    if (const std::string fault = text_fault(text); !fault.empty()) {
      rows_.skipped.push_back(
          {row, Error{ErrorCode::bad_value, fmt::format("{}: row {}: {}", name_, row, fault),
                      "correct or remove this row"}});
      return;
    }
    rows_.texts.emplace_back(text);
    rows_.rows.push_back(row);
    if (labelled_) rows_.labels.emplace_back(label);
  }
  std::size_t row() const { return row_; }

  Result<TextRows> finish() {
    if (!rows_.texts.empty()) return std::move(rows_);
    if (!rows_.skipped.empty()) return rows_.skipped.front().error;
    return Error{ErrorCode::bad_value, fmt::format("{}: there is no text", name_),
                 "give one text a row"};
  }

 private:
  std::string name_;
  bool labelled_;
  std::size_t row_ = 0;
  TextRows rows_;
};

Error no_column(const std::string& name, const char* option, const std::string& wanted,
                const std::vector<std::string>& there) {
  return Error{ErrorCode::bad_argument, fmt::format("{}: there is no column \"{}\"", name, wanted),
               fmt::format("it has {}; choose one with {}", fmt::join(there, ", "), option)};
}

Result<std::size_t> column_of(const std::string& name, const std::vector<std::string>& header,
                              const std::string& wanted, const char* option) {
  if (wanted.empty() && header.size() == 1) return std::size_t{0};
  const std::string& word = wanted.empty() ? "text" : wanted;
  const auto found = std::find(header.begin(), header.end(), word);
  if (found == header.end()) return no_column(name, option, word, header);
  return static_cast<std::size_t>(found - header.begin());
}

Result<TextRows> from_table(io::ByteStream stream, const std::string& name,
                            const TextColumns& columns) {
  io::CsvReader reader(std::move(stream), false, false);
  std::vector<std::string_view> fields;
  PACO_ASSIGN(bool more, reader.next(fields));
  if (!more)
    return Error{ErrorCode::bad_format, fmt::format("{}: is empty", name),
                 "the first row names the columns, among them one of texts"};
  const std::vector<std::string> header(fields.begin(), fields.end());
  PACO_ASSIGN(const std::size_t text, column_of(name, header, columns.text, "--column"));
  std::optional<std::size_t> label;
  if (!columns.label.empty()) {
    PACO_ASSIGN(label, column_of(name, header, columns.label, "--label-column"));
  }
  Collector collector(name, label.has_value());
  while (true) {
    PACO_ASSIGN(more, reader.next(fields));
    if (!more) return collector.finish();
    if (fields.size() != header.size())
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: line {} has {} fields, the header has {}", name, reader.line(),
                               fields.size(), header.size()),
                   "put texts with separators or line breaks between quotes"};
    collector.add(fields[text], label ? fields[*label] : std::string_view());
  }
}

// A number may be the name of a class.
std::optional<std::string> words_of(const RowJson& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  if (value.is_null()) return std::string();
  return std::nullopt;
}

Result<std::string> member_of(const RowJson& object, const std::string& key,
                              const std::string& where, const char* option) {
  const auto found = object.find(key);
  if (found == object.end()) {
    std::vector<std::string> keys;
    for (const auto& [name, value] : object.items()) keys.push_back(name);
    return no_column(where, option, key, keys);
  }
  if (auto words = words_of(*found)) return std::move(*words);
  return Error{ErrorCode::bad_value, fmt::format("{}: \"{}\" is no text", where, key),
               fmt::format("choose another key with {}", option)};
}

Result<TextRows> from_json_lines(io::ByteStream stream, const std::string& name,
                                 const TextColumns& columns) {
  Collector collector(name, !columns.label.empty());
  std::string line;
  for (std::size_t number = 1;; ++number) {
    PACO_ASSIGN(const bool more, stream.read_line(line));
    if (!more) return collector.finish();
    if (io::is_blank_line(line)) continue;
    const std::string where = fmt::format("{}: line {}", name, number);
    PACO_ASSIGN(const RowJson json, io::parse_json<RowJson>(line, where));
    if (json.is_string() && columns.label.empty()) {
      collector.add(json.get<std::string>(), "");
      continue;
    }
    if (!json.is_object())
      return Error{ErrorCode::bad_format, fmt::format("{} is no JSON object", where),
                   R"(write {"text": "...", "label": "..."} on each line)"};
    PACO_ASSIGN(const std::string text,
                member_of(json, columns.text.empty() ? "text" : columns.text, where, "--column"));
    std::string label;
    if (!columns.label.empty()) {
      PACO_ASSIGN(label, member_of(json, columns.label, where, "--label-column"));
    }
    collector.add(text, label);
  }
}

Result<TextRows> from_lines(io::ByteStream stream, const std::string& name,
                            const TextColumns& columns) {
  if (!columns.text.empty() || !columns.label.empty())
    return Error{ErrorCode::bad_argument, fmt::format("{}: lines of text have no columns", name),
                 "give a .csv or .jsonl file, or leave the columns out"};
  Collector collector(name, false);
  std::string line;
  while (true) {
    PACO_ASSIGN(const bool more, stream.read_line(line));
    if (!more) return collector.finish();
    if (!io::is_blank_line(line)) collector.add(line, "");
  }
}

}  // namespace

std::string text_fault(std::string_view text) {
  if (text.size() > kMostTextBytes)
    return fmt::format("its text has {} bytes, more than {}", text.size(), kMostTextBytes);
  if (const auto at = invalid_utf8(text))
    return fmt::format("its text is no UTF-8 at byte {}", *at);
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    return fmt::format("its text has a zero at byte {}", zero);
  for (std::size_t at = 0; at < text.size();) {
    const char32_t point = next_point(text, at);
    if (!is_space(point) && !is_control(point)) return "";
  }
  return "its text is empty";
}

Result<TextRows> parse_text_rows(io::ByteStream stream, const std::string& name,
                                 const TextColumns& columns) {
  if (name.ends_with(".csv") || name.ends_with(".tsv"))
    return from_table(std::move(stream), name, columns);
  if (name.ends_with(".jsonl")) return from_json_lines(std::move(stream), name, columns);
  if (name.ends_with(".txt")) return from_lines(std::move(stream), name, columns);
  return Error{ErrorCode::unsupported,
               fmt::format("{}: its name does not say how texts lie in it", name),
               "give a .csv, .tsv, .jsonl or .txt file"};
}

Result<TextRows> read_text_rows(const std::string& path, const TextColumns& columns) {
  PACO_ASSIGN(io::ByteStream stream, io::ByteStream::open(path));
  return parse_text_rows(std::move(stream), path, columns);
}

}  // namespace paco::embed
