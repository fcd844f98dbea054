// MATLAB's files of version 5 to 7 (not 7.3, which is HDF5), as far as lists and annotations need
// them: numbers, text, cells and structs, compressed or not, from little-endian machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::io {

// One array. Structs are stored element by element: the value of field f of element e is
// cells[e * fields.size() + f].
struct MatArray {
  enum class Kind : std::uint8_t { numbers, text, cells, structs };
  Kind kind = Kind::numbers;
  std::string name;  // of a variable; empty inside other arrays
  std::size_t elements = 0;
  std::vector<double> numbers;
  std::string text;
  std::vector<std::string> fields;
  std::vector<MatArray> cells;

  // The value of a field; null if there is none.
  const MatArray* field(std::size_t element, std::string_view wanted) const;
};

struct MatFile {
  std::vector<MatArray> variables;
  const MatArray* find(std::string_view name) const;  // null: no variable has this name
};

// `origin` names the file in error texts.
Result<MatFile> parse_mat(std::span<const std::byte> bytes, const std::string& origin);
Result<MatFile> read_mat(const std::string& path);

}  // namespace paco::io
