// Decimal numbers in text, read exactly; rows of them fast. It can read a JSON list of numbers, but
// no other JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace paco::io {

// Reads the number at the start of `text`, in JSON's form ("-12.5e-3"). Returns its number of
// characters; 0 if there is no number, or if it is not in the range of a double.
std::size_t read_number(std::string_view text, double& value);

// Reads `text` if it consists of exactly as many numbers as `values` holds, with one separator
// between two numbers and at most one blank after it. Returns true if it does; the numbers are then
// in `values`.
bool read_number_row(std::string_view text, char separator, std::span<double> values);

// Reads the JSON list of numbers at the start of `text`, from "[" on, and returns its number of
// characters. Returns nothing if it is not such a list, or if a number is not in the range of a
// double; the contents of `values` are then unspecified.
std::optional<std::size_t> read_number_list(std::string_view text, std::vector<double>& values);

}  // namespace paco::io
