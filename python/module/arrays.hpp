// NumPy arrays out of numbers in memory.
#pragma once

#include <pybind11/numpy.h>

#include <span>

namespace paco::python {

namespace py = pybind11;

// A copy of one dimension. With a shape as here the size of a number is the type's own; pybind11
// before 2.12 would otherwise ask NumPy for it at a place where NumPy 2 has something else.
template <class T>
py::array_t<T> array_of(std::span<const T> values) {
  return py::array_t<T>(py::array::ShapeContainer{static_cast<py::ssize_t>(values.size())},
                        values.data());
}

}  // namespace paco::python
