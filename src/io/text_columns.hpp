// The meaning of each column of a table and of each key of a JSON object. Shared by the readers of
// embeddings and of labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv.hpp"
#include "io/json.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct CsvRow {
  std::vector<std::string> fields;
  std::uint64_t line = 0;
};

struct CsvLayout {
  std::size_t columns = 0;
  std::optional<std::size_t> id;     // the column that names the rows
  std::optional<std::size_t> label;  // the column of class names or numbers
  std::vector<std::size_t> values;   // the others
  std::deque<CsvRow> first_rows;     // of data, already taken from the reader; at least one
  std::vector<std::string> notes;    // remarks for the user
};

// Looks at the first row, and at the second if the first is a header or may be one. A header has no
// number in it, or its numbers count the columns from 0, as in pandas. It names the id ("id",
// "sample", "name", "file") and the label ("label", "class"); without a header, a text column is
// the id. The index that pandas writes in front (headed "", "index" or "Unnamed: 0") is the id if
// there is no other, and never a value.
Result<CsvLayout> read_csv_layout(CsvReader& reader);

// The column with the header "label" or "class", if the fields are a header.
std::optional<std::size_t> find_label_column(const std::vector<std::string_view>& fields);

// One line of JSON; `line` counts from 1.
Result<nlohmann::json> parse_json_line(std::string_view text, const std::string& name,
                                       std::uint64_t line);

// The value of the first of these keys that exists in the object, or null.
const nlohmann::json* find_key(const nlohmann::json& object,
                               std::initializer_list<const char*> keys);

}  // namespace paco::io
