// One line of JSON as most programs write a row: an object of plain texts, numbers and nulls, read
// without building it.
//
// Whatever else JSON may hold (nested values, escapes, spaces between the parts, letters beyond
// ASCII) is not read here but by the parser of io/json.hpp, which also says what is wrong with a
// line.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace paco::io {

// A text or a number; neither if the value is null.
struct FlatValue {
  std::string_view key;
  std::optional<std::string_view> text;
  std::optional<double> number;
};

// Returns true if `line` is such an object; `values` then has its values in order, with texts that
// point into the line. Otherwise the contents of `values` are unspecified.
bool read_flat_object(std::string_view line, std::vector<FlatValue>& values);

}  // namespace paco::io
