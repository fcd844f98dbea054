// Decimal numbers in text, read exactly and fast: a row of 768 of them is read in the time that it
// takes to decide on it. Knows JSON's way to write a list of numbers, and nothing else of JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace paco::io {

// Reads the number that `text` begins with, as JSON writes it ("-12.5e-3"), if it has few enough
// digits for a few operations to give the nearest double (decimal.hpp). How many characters it has;
// 0 where there is none, or it takes a longer way.
std::size_t read_short_number(std::string_view text, double& value);

// The same for any number of JSON; 0 also where it is beyond the doubles.
std::size_t read_number(std::string_view text, double& value);

// Whether `text` is as many numbers as `values` holds, with one separator between two of them, a
// blank behind it or none, and nothing else: then they are in `values`.
bool read_number_row(std::string_view text, char separator, std::span<double> values);

// The JSON list of numbers that `text` begins with, "[" first: how many characters it has. Nothing
// where it is not such a list, or a number in it is beyond the doubles; `values` is then of no use.
std::optional<std::size_t> read_number_list(std::string_view text, std::vector<double>& values);

}  // namespace paco::io
