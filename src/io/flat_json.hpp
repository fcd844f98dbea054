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

// A text or a number; neither where it is null.
struct FlatValue {
  std::string_view key;
  std::optional<std::string_view> text;
  std::optional<double> number;
};

// Whether `line` is such an object: then its values in their order, whose texts are parts of the
// line. Otherwise `values` is of no use.
bool read_flat_object(std::string_view line, std::vector<FlatValue>& values);

}  // namespace paco::io
