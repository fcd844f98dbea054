// Rows of numbers given in Python: NumPy arrays of any number type and order, memory-mapped ones,
// tensors by DLPack or the buffer protocol, lists.
//
// Data that the engine can use directly (float64, row-major) is never copied. Everything else is
// converted block by block, so that a large array is never in memory twice.
#pragma once

#include <pybind11/numpy.h>

#include <vector>

#include "io/element.hpp"
#include "paco/rows.hpp"

namespace paco::python {

namespace py = pybind11;

class Samples {
 public:
  // A matrix (n, d).
  static Samples matrix(const py::object& x);
  // One sample, (d) or (1, d).
  static Samples row(const py::object& x);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  // Some rows as doubles, in place or in `scratch`. Does not need the GIL.
  Rows<const double> block(std::size_t first, std::size_t count,
                           std::vector<double>& scratch) const;

 private:
  Samples(const py::object& x, bool single);
  bool adopt(const py::object& x, bool exact);

  py::array array_;  // keeps the numbers alive
  const std::byte* data_ = nullptr;
  io::ElementType type_ = io::ElementType::f64;
  bool swapped_ = false;
  std::size_t size_ = 8;  // of a number in bytes
  std::size_t rows_ = 0, columns_ = 0;
  std::ptrdiff_t row_stride_ = 0, column_stride_ = 0;
};

}  // namespace paco::python
