// A dense row-major matrix that owns its numbers. Rows (include/paco/rows.hpp) is the view that
// does not own them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/large_pages.hpp"
#include "paco/rows.hpp"

namespace paco::math {

template <class T>
class Matrix {
 public:
  using Numbers = std::vector<T, core::LargePages<T>>;

  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), data_(rows * columns) {}
  Matrix(std::size_t rows, std::size_t columns, Numbers data)
      : rows_(rows), columns_(columns), data_(std::move(data)) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  std::span<T> operator[](std::size_t row) { return {data_.data() + row * columns_, columns_}; }
  std::span<const T> operator[](std::size_t row) const {
    return {data_.data() + row * columns_, columns_};
  }
  Rows<T> view() { return {data_.data(), rows_, columns_}; }
  Rows<const T> view() const { return {data_.data(), rows_, columns_}; }
  operator Rows<const T>() const { return view(); }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  Numbers data_;
};

}  // namespace paco::math
