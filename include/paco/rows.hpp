// A view of rows of numbers; it does not own them. The memory convention of the whole project,
// stated once: row-major, dense, sample i starts at data + i * columns.
#pragma once

#include <cstddef>
#include <span>

namespace paco {

template <class T>
struct Rows {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::span<T> operator[](std::size_t row) const { return {data + row * columns, columns}; }
  Rows slice(std::size_t first, std::size_t count) const {
    return {data + first * columns, count, columns};
  }
  operator Rows<const T>() const { return {data, rows, columns}; }
};

}  // namespace paco
