// Writes MATLAB files of version 5 by hand, so that tests have annotations as Stanford Cars has
// them.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace paco {

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string mat_element(std::uint32_t type, const std::string& data) {
  if (!data.empty() && data.size() <= 4) {  // the short form
    const std::uint32_t tag = type | static_cast<std::uint32_t>(data.size()) << 16;
    return raw_bytes<std::uint32_t>({tag}) + data + std::string(4 - data.size(), '\0');
  }
  std::string out =
      raw_bytes<std::uint32_t>({type, static_cast<std::uint32_t>(data.size())}) + data;
  return out + std::string((8 - data.size() % 8) % 8, '\0');
}

// `code` is the class of the array: 1 cell, 2 struct, 4 char, 9 uint8.
inline std::string mat_matrix(std::uint32_t code, std::int32_t columns, const std::string& name,
                              const std::string& rest) {
  return mat_element(14, mat_element(6, raw_bytes<std::uint32_t>({code, 0})) +
                             mat_element(5, raw_bytes<std::int32_t>({1, columns})) +
                             mat_element(1, name) + rest);
}
inline std::string mat_text(const std::string& text) {
  std::vector<std::uint16_t> codes(text.begin(), text.end());
  return mat_matrix(4, static_cast<std::int32_t>(text.size()), "",
                    mat_element(4, raw_bytes(codes)));
}
inline std::string mat_byte(std::uint8_t value) {
  return mat_matrix(9, 1, "", mat_element(2, std::string(1, static_cast<char>(value))));
}

inline std::string mat_cells(const std::string& name, const std::vector<std::string>& cells) {
  std::string inside;
  for (const std::string& cell : cells) inside += mat_text(cell);
  return mat_matrix(1, static_cast<std::int32_t>(cells.size()), name, inside);
}

struct Annotation {
  std::uint8_t label;  // from 1
  std::string name;
};
inline std::string mat_annotations(const std::vector<Annotation>& annotations) {
  constexpr std::size_t kLength = 8;
  std::string fields;
  for (const std::string field : {"bbox_x1", "class", "fname"})
    fields += field + std::string(kLength - field.size(), '\0');
  std::string inside = mat_element(5, raw_bytes<std::int32_t>({kLength})) + mat_element(1, fields);
  for (const Annotation& one : annotations)
    inside += mat_byte(7) + mat_byte(one.label) + mat_text(one.name);
  return mat_matrix(2, static_cast<std::int32_t>(annotations.size()), "annotations", inside);
}

inline std::string mat_file(const std::string& variable, bool compressed) {
  std::string head = "MATLAB 5.0 MAT-file";
  head.resize(124, ' ');
  head += std::string("\0\1IM", 4);
  if (!compressed) return head + variable;
  std::vector<Bytef> packed(compressBound(variable.size()));
  uLongf size = packed.size();
  compress(packed.data(), &size, reinterpret_cast<const Bytef*>(variable.data()), variable.size());
  return head + raw_bytes<std::uint32_t>({15, static_cast<std::uint32_t>(size)}) +
         std::string(reinterpret_cast<const char*>(packed.data()), size);
}

}  // namespace paco
