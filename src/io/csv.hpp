// Rows of a text table: comma, semicolon, tab or space between the fields, quotes where needed.
//
// This reader splits rows and reads numbers; the caller interprets the columns. A quoted field may
// hold line breaks. Numbers are read the same way in every locale, with a decimal point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_stream.hpp"
#include "paco/result.hpp"

namespace paco::io {

// Most fields of a row; more fields indicate the wrong file.
constexpr std::size_t kMaxFields = (std::size_t{1} << 20) + 16;

class CsvReader {
 public:
  // Without `split_at_spaces`, a line without other separators is one field: names may have spaces
  // in them. Without `comments`, a first row may begin with "#".
  explicit CsvReader(ByteStream stream, bool split_at_spaces = true, bool comments = true)
      : stream_(std::move(stream)), split_at_spaces_(split_at_spaces), comments_(comments) {}

  // The next row that is not blank; false at the end. Comment lines ("# ...") before the first row
  // are skipped. The fields are valid until the next call.
  Result<bool> next(std::vector<std::string_view>& fields);
  // Same, with a fast path for a row of `before` plain fields, then as many numbers as `numbers`
  // holds, then `behind` plain fields. For such a row it reads the numbers into `numbers`, and
  // `fields` has the other fields. Otherwise the contents of `numbers` are unspecified.
  enum class Row { end, fields, numbers };
  Result<Row> next(std::vector<std::string_view>& fields, std::size_t before,
                   std::span<double> numbers, std::size_t behind);
  // Skips the next row, without splitting it if it has no quotes; false at the end.
  Result<bool> skip();
  // True if next() would return without waiting, except for a quoted field that continues in the
  // next line. Skips blank lines.
  Result<bool> ready();
  // Treats the row just read, and every further row, as one field. `fields` are those that next()
  // returned.
  Result<void> one_field_a_row(std::vector<std::string_view>& fields);
  char separator() const { return separator_; }  // '\n' where there is none
  std::uint64_t line() const { return line_; }   // of the last row, from 1
  const std::string& name() const { return stream_.name(); }
  std::optional<std::uint64_t> left() const { return stream_.left(); }  // bytes, where known

 private:
  // The next row that is not blank, into text_; false at the end.
  Result<bool> next_text();
  // The next line without its end, into `line`; false at the end.
  Result<bool> next_line(std::string& line);
  // If text_ has numbers between that many fields, reads them as next() does and returns true.
  bool take_numbers(std::vector<std::string_view>& fields, std::size_t before,
                    std::span<double> numbers, std::size_t behind) const;
  // The fields of text_, and of further lines if a quoted field continues there.
  Result<void> split_row(std::vector<std::string_view>& fields);
  // `open` is set if the line ends inside a quoted field.
  Result<void> split(std::vector<std::string_view>& fields, bool& open);

  ByteStream stream_;
  std::string text_;      // the line
  std::string unquoted_;  // contents of quoted fields with their doubled quotes undone
  std::uint64_t line_ = 0;
  bool returned_ = false;  // the last line ended with "\r\n"
  bool split_at_spaces_, comments_;
  char separator_ = 0;  // chosen at the first row
};

// Parses a whole field as a number ("nan" and "inf" included); returns nothing if it is not a
// number.
std::optional<double> parse_number(std::string_view field);
// A whole field as an integer.
std::optional<std::int64_t> parse_integer(std::string_view field);
// The field as it is written into a csv file: quoted where it must be. A quoted field reads back as
// the same bytes, so names are never changed: what a spreadsheet might take for a formula (= + - @
// in front) is quoted too, but no apostrophe is put before it.
std::string csv_field(std::string_view text);

}  // namespace paco::io
