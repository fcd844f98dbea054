// Writing of npz archives, which numpy.load reads. Arrays are stored, not packed, as numpy.savez
// does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco {

// Collects arrays, then writes them; the same content gives the same bytes.
class NpzWriter {
 public:
  // T is double, float, std::int64_t, std::int32_t or std::uint8_t.
  template <class T>
  void add(const std::string& name, std::span<const std::uint64_t> shape,
           std::span<const T> values);
  Result<void> write(const std::string& path) const;  // atomic

 private:
  struct Member {
    std::string name;
    std::string bytes;
  };
  std::vector<Member> members_;
};

}  // namespace paco
