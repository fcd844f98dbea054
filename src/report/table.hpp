// One table, six ways to write it: JSON and CSV for programs, LaTeX and Markdown for papers,
// aligned text and HTML for people.
//
// A cell holds the value itself; the column defines how it is formatted for people. JSON and CSV
// contain full values (shares as fractions, an undefined value as null or an empty field). The
// other formats are rounded (shares as percentages, undefined as "-"). This file does not depend on
// the subject of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace paco::report {

// How the values of a column are formatted for people.
enum class Show : std::uint8_t {
  text,
  integer,
  share,   // a fraction, shown as a percentage: 0.8437 is "84.4"
  number,  // with `digits` after the point
};

struct Column {
  std::string key;      // in JSON and CSV: lower case, no spaces
  std::string heading;  // for people
  Show show = Show::text;
  int digits = 1;  // after the point, for share and number
};

// Undefined, or a value. A number that is not finite is shown as undefined.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

Cell cell(std::optional<double> value);
Cell cell(std::optional<std::int64_t> value);

struct Table {
  std::string key;    // names it among other tables: lower case, no spaces
  std::string title;  // caption, one line
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as columns

  void add(std::vector<Cell> row);
};

// An array with one object per row.
nlohmann::ordered_json table_json(const Table& table);
// Header line, then one line per row; RFC 4180 quoting, "\n" line ends.
std::string table_csv(const Table& table);
// Booktabs style with caption and label: a table environment, or a longtable beyond 40 rows.
std::string table_latex(const Table& table);
// A pipe table under a bold title.
std::string table_markdown(const Table& table);
// Title, headings, a rule, aligned columns; no trailing blanks. A text cell wider than `widest` is
// cut with "...".
std::string table_text(const Table& table, std::size_t widest = 32);

// A table element with its title as caption; columns of numbers have the class "number".
std::string table_html(const Table& table);

enum class TableFormat : std::uint8_t { json, csv, latex, markdown, text };

// Several tables in one file. CSV: each below a line "# key: title", a blank line between them;
// JSON: one object by key.
std::string write_tables(const std::vector<Table>& tables, TableFormat format);

}  // namespace paco::report
