// safetensors files: named tensors with a small JSON header, mapped into memory.
//
// The reader is strict: sizes, types, offsets and names must agree with each other and fill the
// file exactly, so that whatever is handed out lies inside the file. The writer gives the same
// bytes for the same content, whatever the order of the calls. A read file may be used by many
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_stream.hpp"
#include "data/element.hpp"
#include "linalg/matrix.hpp"
#include "paco/result.hpp"

namespace paco {

struct TensorView {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte>
      bytes;  // row-major, little-endian; not necessarily aligned to its type

  std::uint64_t elements() const { return bytes.size() / element_size(type); }
};

class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::string& path);
  // `name` stands for the path in error texts.
  static Result<SafetensorsFile> from_bytes(std::vector<std::byte> bytes, const std::string& name);
  static Result<SafetensorsFile> from_shared(SharedBytes bytes, const std::string& name);

  const std::string& name() const { return name_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<TensorView>& tensors() const {
    return tensors_;
  }  // in the order of their bytes

  const TensorView* find(std::string_view name) const;  // null where there is none
  // The tensor, or an error that lists what is there.
  Result<const TensorView*> tensor(std::string_view name) const;
  // All numbers of a tensor. T is double or float (any type), or std::int64_t (integer types).
  template <class T>
  Result<std::vector<T>> read(std::string_view name) const;
  // The same for a tensor of two dimensions.
  template <class T>
  Result<Matrix<T>> read_matrix(std::string_view name) const;

  // The pages of this tensor are not needed any more.
  void release(const TensorView& tensor) const;

 private:
  std::string name_;
  SharedBytes data_;
  std::map<std::string, std::string> metadata_;
  std::vector<TensorView> tensors_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

// Collects tensors, then writes them. The bytes given to add() must stay alive until then;
// add_copy() keeps its own.
class SafetensorsWriter {
 public:
  void set_metadata(std::string key, std::string value) {
    metadata_[std::move(key)] = std::move(value);
  }
  void add(std::string name, ElementType type, std::vector<std::uint64_t> shape,
           std::span<const std::byte> bytes);
  template <class T>
  void add(std::string name, std::vector<std::uint64_t> shape, std::span<const T> values) {
    add(std::move(name), element_type_of<T>(), std::move(shape), std::as_bytes(values));
  }
  template <class T>
  void add_copy(std::string name, std::vector<std::uint64_t> shape, std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    copies_.emplace_back(bytes.begin(), bytes.end());
    add(std::move(name), element_type_of<T>(), std::move(shape), copies_.back());
  }

  Result<std::vector<std::byte>> to_bytes() const;
  Result<void> write(const std::string& path) const;  // atomic

 private:
  // Header text, padded so that the data begin at a multiple of 8, and the tensors in file order.
  Result<std::string> header(std::vector<const TensorView*>& order) const;

  std::map<std::string, std::string> metadata_;
  std::vector<TensorView> tensors_;
  std::vector<std::vector<std::byte>> copies_;
};

}  // namespace paco
