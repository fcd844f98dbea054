// Writing of npz archives, which numpy.load reads. Arrays are stored, not packed, as numpy.savez
// does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/element.hpp"
#include "paco/result.hpp"

namespace paco::io {

// Collects arrays, then writes them; the same content gives the same bytes.
class NpzWriter {
 public:
  // `bytes` are the numbers in row-major order; they must stay alive until write().
  void add(const std::string& name, ElementType type, std::span<const std::uint64_t> shape,
           std::span<const std::byte> bytes);
  template <class T>
  void add(const std::string& name, std::span<const std::uint64_t> shape,
           std::span<const T> values) {
    add(name, element_type_of<T>(), shape, std::as_bytes(values));
  }
  Result<void> write(const std::string& path) const;  // atomic

 private:
  struct Member {
    std::string name;
    std::string header;
    std::span<const std::byte> bytes;
  };
  std::vector<Member> members_;
};

}  // namespace paco::io
