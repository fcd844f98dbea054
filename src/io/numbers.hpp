// Decimal numbers in text, read exactly; rows of them fast. Knows JSON's way to write a list of
// numbers, and nothing else of JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace paco::io {

// Reads the number that `text` begins with, as JSON writes it ("-12.5e-3"). How many characters it
// has; 0 if there is none, or if it is beyond the doubles.
std::size_t read_number(std::string_view text, double& value);

// Whether `text` is as many numbers as `values` holds, with one separator between two of them, a
// blank behind it or none, and nothing else: then they are in `values`.
bool read_number_row(std::string_view text, char separator, std::span<double> values);

// The JSON list of numbers that `text` begins with, "[" first: how many characters it has. Nothing
// where it is not such a list, or a number in it is beyond the doubles; `values` is then of no use.
std::optional<std::size_t> read_number_list(std::string_view text, std::vector<double>& values);

}  // namespace paco::io
