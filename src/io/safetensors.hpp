// safetensors files: named tensors with a small JSON header. Tensors are read on demand.
//
// The reader is strict: sizes, types, offsets and names must agree with each other and fill the
// file exactly, so that every returned tensor is inside the file. The writer gives the same bytes
// for the same content, whatever the order of the calls. A read file may be used by many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/element.hpp"
#include "io/file_bytes.hpp"
#include "math/matrix.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct TensorView {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0, size = 0;  // of its bytes in the file: row-major, little-endian

  std::uint64_t elements() const { return size / element_size(type); }
};

class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::string& path);
  // `name` stands for the path in error texts.
  static Result<SafetensorsFile> from_bytes(std::vector<std::byte> bytes, const std::string& name);
  static Result<SafetensorsFile> from_bytes(FileBytes bytes, const std::string& name);

  const std::string& name() const { return name_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<TensorView>& tensors() const {
    return tensors_;
  }  // in the order of their bytes

  const TensorView* find(std::string_view name) const;  // null where there is none
  // The tensor with this name, or an error that lists the existing tensors.
  Result<const TensorView*> tensor(std::string_view name) const;
  // All numbers of a tensor. T is double or float (any type), or std::int64_t (integer types).
  template <class T>
  Result<std::vector<T>> read(std::string_view name) const;
  // The same for a tensor of two dimensions.
  template <class T>
  Result<math::Matrix<T>> read_matrix(std::string_view name) const;

  // The bytes of a tensor as they lie in the file.
  ByteStream stream(const TensorView& tensor) const;

  // After this call, read() gives an error if a tensor has another type than the requested one. For
  // files that this program wrote.
  void expect_exact_types() { exact_types_ = true; }

 private:
  std::string name_;
  FileBytes data_;
  bool exact_types_ = false;
  std::map<std::string, std::string> metadata_;
  std::vector<TensorView> tensors_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

// Collects tensors, then writes them. The bytes passed to add() must stay alive until then;
// add_copy() makes its own copy.
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
  struct Tensor {
    std::string name;
    ElementType type;
    std::vector<std::uint64_t> shape;
    std::span<const std::byte> bytes;
  };
  // Header text, padded so that the data begin at a multiple of 8, and the tensors in file order.
  Result<std::string> header(std::vector<const Tensor*>& order) const;

  std::map<std::string, std::string> metadata_;
  std::vector<Tensor> tensors_;
  std::vector<std::vector<std::byte>> copies_;
};

}  // namespace paco::io
