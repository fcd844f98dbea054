// NumPy arrays out of numbers in memory.
#pragma once

#include <pybind11/numpy.h>

#include <span>

namespace paco::python {

namespace py = pybind11;

// A copy of one dimension. Passing the shape makes pybind11 take the size of a number from its
// type. Before version 2.12 it would otherwise read the size from memory whose layout changed in
// NumPy 2.
template <class T>
py::array_t<T> array_of(std::span<const T> values) {
  return py::array_t<T>(py::array::ShapeContainer{static_cast<py::ssize_t>(values.size())},
                        values.data());
}

}  // namespace paco::python
