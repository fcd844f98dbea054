#include "io/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/try.hpp"
#include "io/numbers.hpp"

namespace paco::io {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

char find_separator(std::string_view line) {
  bool quoted = false;
  char found = ' ';
  constexpr std::string_view kByStrength = " ,;\t";  // a stronger one, further right, wins
  for (char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted && kByStrength.find(c) != std::string_view::npos &&
        kByStrength.find(c) > kByStrength.find(found)) {
      found = c;
    }
  }
  return found;
}

}  // namespace

Result<bool> CsvReader::next_line(std::string& line) {
  PACO_ASSIGN(const bool more, stream_.read_line(line, kLongestLine, LineEnd::keep_return));
  returned_ = !line.empty() && line.back() == '\r';
  if (returned_) line.pop_back();
  line_ += more ? 1 : 0;
  return more;
}

Result<bool> CsvReader::ready() {
  while (stream_.may_wait()) {
    PACO_ASSIGN(const auto line, stream_.peek_line_ready());
    if (!line) return false;
    if (!is_blank_line(*line) || stream_.ended()) return true;
    PACO_TRY(next_line(text_));
  }
  return true;
}

Result<bool> CsvReader::next_text() {
  while (true) {
    PACO_ASSIGN(const bool more, next_line(text_));
    if (!more) return false;
    if (line_ == 1 && text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);  // byte order mark
    if (is_blank_line(text_)) continue;
    if (comments_ && separator_ == 0 && text_.starts_with('#')) continue;
    break;
  }
  if (separator_ == 0) {
    separator_ = find_separator(trimmed(text_));
    if (separator_ == ' ' && !split_at_spaces_) separator_ = '\n';  // which no line contains
  }
  return true;
}

Result<bool> CsvReader::next(std::vector<std::string_view>& fields) {
  fields.clear();
  PACO_ASSIGN(const bool more, next_text());
  if (more) PACO_TRY(split_row(fields));
  return more;
}

Result<CsvReader::Row> CsvReader::next(std::vector<std::string_view>& fields, std::size_t before,
                                       std::span<double> numbers, std::size_t behind) {
  PACO_ASSIGN(const bool more, next_text());
  if (!more) return Row::end;
  if (take_numbers(fields, before, numbers, behind)) return Row::numbers;
  PACO_TRY(split_row(fields));
  return Row::fields;
}

bool CsvReader::take_numbers(std::vector<std::string_view>& fields, std::size_t before,
                             std::span<double> numbers, std::size_t behind) const {
  fields.clear();
  std::string_view row = text_;
  // A row with quotes, or with separators of several characters, is left to split().
  if (before + behind > 0 && (separator_ == ' ' || row.find('"') != row.npos)) return false;
  for (std::size_t i = 0; i < before; ++i) {
    const std::size_t end = row.find(separator_);
    if (end == row.npos) return false;
    fields.push_back(trimmed(row.substr(0, end)));
    row.remove_prefix(end + 1);
  }
  for (std::size_t i = 0; i < behind; ++i) {
    const std::size_t end = row.rfind(separator_);
    if (end == row.npos) return false;
    fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(before),
                  trimmed(row.substr(end + 1)));
    row = row.substr(0, end);
  }
  return read_number_row(row, separator_, numbers);
}

Result<bool> CsvReader::skip() {
  if (separator_ != 0 && !stream_.may_wait()) {
    PACO_ASSIGN(const auto line, stream_.peek_line_ready());
    if (line && line->size() <= kLongestLine && line->find('"') == line->npos &&
        !is_blank_line(*line)) {
      const std::size_t length = line->size();
      PACO_ASSIGN(const auto with_end, stream_.peek(length + 1));  // which the last may lack
      stream_.consume(std::min(length + 1, with_end.size()));
      ++line_;
      return true;
    }
  }
  std::vector<std::string_view> fields;
  return next(fields);
}

Result<void> CsvReader::one_field_a_row(std::vector<std::string_view>& fields) {
  separator_ = '\n';
  return split_row(fields);
}

Result<void> CsvReader::split_row(std::vector<std::string_view>& fields) {
  // A quoted field may continue over several lines, but their number is limited.
  constexpr std::size_t kMostLines = 1000;
  const std::uint64_t first_line = line_;
  std::string further;
  while (true) {
    fields.clear();
    bool open = false;
    const Result<void> done = split(fields, open);
    if (done.ok()) return {};
    if (!open || line_ - first_line >= kMostLines) return done.error();
    const bool returned = returned_;  // inside quotes a line end is kept as it is
    PACO_ASSIGN(const bool more, next_line(further));
    if (!more) return done.error();
    text_.append(returned ? "\r\n" : "\n").append(further);
  }
}

Result<void> CsvReader::split(std::vector<std::string_view>& fields, bool& open) {
  std::string_view rest = separator_ == ' ' ? trimmed(text_) : std::string_view(text_);
  unquoted_.clear();
  unquoted_.reserve(text_.size());  // no reallocation below, so views into it stay valid
  while (true) {
    if (fields.size() == kMaxFields) {
      return Error{ErrorCode::bad_shape,
                   fmt::format("{}: line {} has more than {} fields", name(), line_, kMaxFields),
                   "check that this is a table with one sample a line"};
    }
    std::size_t start = 0;
    while (start < rest.size() && (rest[start] == ' ' || rest[start] == '\t')) ++start;
    if (start < rest.size() && rest[start] == '"') {
      const std::size_t begin = unquoted_.size();
      std::size_t at = start + 1;
      for (; at < rest.size(); ++at) {
        if (rest[at] == '"' && (at + 1 == rest.size() || rest[at + 1] != '"')) break;
        if (rest[at] == '"') ++at;
        unquoted_ += rest[at];
      }
      const std::size_t end =
          at < rest.size() ? rest.find(separator_, at + 1) : std::string_view::npos;
      const std::string_view after =
          at < rest.size() ? rest.substr(at + 1, end == rest.npos ? rest.npos : end - at - 1)
                           : "\"";
      open = at >= rest.size();
      if (!trimmed(after).empty()) {
        return Error{
            ErrorCode::bad_format,
            fmt::format("{}: line {}: a quoted field does not end properly", name(), line_),
            "close every quote and double the quotes inside"};
      }
      fields.push_back(std::string_view(unquoted_).substr(begin));
      if (end == std::string_view::npos) return {};
      rest.remove_prefix(end + 1);
    } else {
      const std::size_t end = rest.find(separator_);
      fields.push_back(trimmed(rest.substr(0, end)));
      if (end == std::string_view::npos) return {};
      rest.remove_prefix(end + 1);
    }
    // Several spaces are one separator.
    if (separator_ == ' ') rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
}

std::optional<double> parse_number(std::string_view field) {
  if (!field.empty() && field.front() == '+') field.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (end != field.data() + field.size() || field.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small to differ from zero, or too large for any double.
    return field.find("e-") != field.npos || field.find("E-") != field.npos ? 0.0 : HUGE_VAL;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view field) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (field.empty() || error != std::errc() || end != field.data() + field.size())
    return std::nullopt;
  return value;
}

std::string csv_field(std::string_view text) {
  const bool plain = text.find_first_of(",\"\n\r;\t") == text.npos && trimmed(text) == text &&
                     !text.empty() && text.front() != '#';
  const bool formula =
      plain && std::string_view("=+-@").find(text.front()) != text.npos && !parse_number(text);
  if (plain && !formula) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace paco::io
