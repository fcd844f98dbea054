// The embeddings of a run of samples as one blob, stored as the smallest of float16, float32 and
// float64 that represents every number exactly.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "io/element.hpp"
#include "paco/result.hpp"

namespace paco::journal {

// Writes the numbers into `bytes`, little-endian, in the smallest type that represents them, and
// returns that type.
io::ElementType encode_run(std::span<const double> numbers, std::vector<std::byte>& bytes);

// The type behind a name in the file ("float32").
Result<io::ElementType> run_type(const std::string& path, std::string_view name);

}  // namespace paco::journal
