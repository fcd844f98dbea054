// numpy's array files: typed reading and writing, whole or row by row.
//
// Reads versions 1 to 3, either byte order and both memory orders; whole arrays come back in
// row-major order. Numbers only: no records, objects or dates (text arrays are read by labels.hpp
// alone). Embeddings in npy files that are too large for memory are read through embeddings.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/files.hpp"
#include "io/byte_stream.hpp"
#include "io/element.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::io {

struct NpyHeader {
  ElementType type = ElementType::f64;
  bool swapped = false;        // the numbers' bytes are not in this machine's order
  bool column_major = false;   // numpy's "fortran_order"
  std::size_t text_bytes = 0;  // for text arrays ("<U7", "S7"): bytes of one element; 0 for numbers
  std::size_t text_unit = 0;   // for text arrays: 4 (UCS-4) or 1
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;  // product of the shape

  std::size_t element_bytes() const { return text_bytes > 0 ? text_bytes : element_size(type); }
  std::uint64_t data_bytes() const { return elements * element_bytes(); }
};

// "(1498, 768)", as numpy prints a shape.
std::string shape_text(std::span<const std::uint64_t> shape);

// True where the bytes begin as an npy file does.
bool looks_like_npy(std::span<const std::byte> head);

// Consumes the header. If the stream's size is known, the data that the header announces must be
// there.
Result<NpyHeader> read_npy_header(ByteStream& stream);

// A whole array in row-major order.
template <class T>
struct NpyArray {
  std::vector<std::uint64_t> shape;
  std::vector<T> data;
};

// T is double or float (any numeric file), or std::int64_t, std::int32_t, std::uint8_t (integer
// files whose values fit).
template <class T>
Result<NpyArray<T>> read_npy(const std::string& path);
template <class T>
Result<NpyArray<T>> read_npy(ByteStream& stream);

// The bytes before the numbers, little-endian and row-major. Their length depends only on the row
// size and the type, not on the number of rows, so that a stream writer can insert the final count
// later; it is a multiple of 64.
std::string npy_header(ElementType type, std::span<const std::uint64_t> shape);

// T is one of the types of read_npy.
template <class T>
Result<void> write_npy(const std::string& path, std::span<const std::uint64_t> shape,
                       std::span<const T> data);

// Writes rows as they come; the file appears under its name at commit(), with the row count in its
// header.
class NpyWriter {
 public:
  // Rows of shape `row_shape`, e.g. {768}; {} writes a vector.
  static Result<NpyWriter> create(const std::string& path, ElementType type,
                                  std::vector<std::uint64_t> row_shape);

  // Numbers of whole rows, converted to the file's (floating) type.
  Result<void> append(std::span<const double> values);
  // Bytes of whole rows, already of the file's type and this machine's byte order.
  Result<void> append_bytes(std::span<const std::byte> bytes);
  Result<void> commit();
  std::uint64_t rows() const { return rows_; }

 private:
  NpyWriter(core::AtomicFile file, ElementType type, std::vector<std::uint64_t> row_shape)
      : file_(std::move(file)), type_(type), row_shape_(std::move(row_shape)) {}

  core::AtomicFile file_;
  ElementType type_;
  std::vector<std::uint64_t> row_shape_;
  std::uint64_t rows_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace paco::io
