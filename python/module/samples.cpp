#include "samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "errors.hpp"

namespace paco::python {
namespace {

std::optional<io::ElementType> element_type(char kind, py::ssize_t size) {
  const auto pick = [&](io::ElementType one, io::ElementType two, io::ElementType four,
                        io::ElementType eight) -> std::optional<io::ElementType> {
    switch (size) {
      case 1:
        return one;
      case 2:
        return two;
      case 4:
        return four;
      case 8:
        return eight;
      default:
        return std::nullopt;
    }
  };
  switch (kind) {
    case 'f':
      if (size == 1) return std::nullopt;
      return pick(io::ElementType::f16, io::ElementType::f16, io::ElementType::f32, io::ElementType::f64);
    case 'i':
      return pick(io::ElementType::i8, io::ElementType::i16, io::ElementType::i32, io::ElementType::i64);
    case 'u':
      return pick(io::ElementType::u8, io::ElementType::u16, io::ElementType::u32, io::ElementType::u64);
    case 'b':
      return io::ElementType::boolean;
    default:
      return std::nullopt;
  }
}

}  // namespace

Samples Samples::matrix(const py::object& x) { return Samples(x, false); }
Samples Samples::row(const py::object& x) { return Samples(x, true); }

// Adopts `x` if it is an array of numbers that can be read as it is. With `exact`, subclasses are
// not adopted, because they may contain more than numbers (a mask).
bool Samples::adopt(const py::object& x, bool exact) {
  if (!py::isinstance<py::array>(x)) return false;
  if (exact && Py_TYPE(x.ptr()) != py::detail::npy_api::get().PyArray_Type_) return false;
  array_ = py::reinterpret_borrow<py::array>(x);
  const py::dtype type = array_.dtype();
  // Read through Python: NumPy 2 stores this number at another offset in memory, which pybind11
  // before 2.12 does not support.
  const auto bytes = type.attr("itemsize").cast<py::ssize_t>();
  const auto element = element_type(type.kind(), bytes);
  if (!element) return false;
  type_ = *element;
  size_ = static_cast<std::size_t>(bytes);
  constexpr char kForeign = std::endian::native == std::endian::little ? '>' : '<';
  swapped_ = type.byteorder() == kForeign;
  data_ = static_cast<const std::byte*>(array_.data());
  return true;
}

Samples::Samples(const py::object& x, bool single) {
  // Anything else (tensors, lists, masked and object arrays, wide floats) is converted to an array
  // first, or refused with an error message.
  if (!adopt(x, true) &&
      !adopt(py::module_::import("pacodiscovery._arrays").attr("as_numbers")(x), false))
    raise({ErrorCode::bad_value, "these are no numbers", "give an array of numbers"});
  const auto dimensions = array_.ndim();
  if (dimensions == 2 && (!single || array_.shape(0) == 1)) {
    rows_ = static_cast<std::size_t>(array_.shape(0));
    columns_ = static_cast<std::size_t>(array_.shape(1));
    row_stride_ = array_.strides(0);
    column_stride_ = array_.strides(1);
    return;
  }
  if (dimensions == 1 && single) {
    rows_ = 1;
    columns_ = static_cast<std::size_t>(array_.shape(0));
    column_stride_ = array_.strides(0);
    return;
  }
  std::string shape;
  for (py::ssize_t i = 0; i < dimensions; ++i)
    shape += fmt::format("{}{}", i > 0 ? ", " : "", array_.shape(i));
  raise({ErrorCode::bad_shape,
         fmt::format("Expected {}, got an array of shape ({})",
                     single ? "one sample, a 1D array" : "a 2D array, one sample a row", shape),
         dimensions == 1 ? "Reshape your data: x.reshape(1, -1) is one sample as a matrix"
                         : "Reshape your data"});
}

Rows<const double> Samples::block(std::size_t first, std::size_t count,
                                  std::vector<double>& scratch) const {
  const auto unit = static_cast<std::ptrdiff_t>(size_);
  const std::byte* start = data_ + static_cast<std::ptrdiff_t>(first) * row_stride_;
  const auto width = static_cast<std::ptrdiff_t>(columns_);
  if (type_ == io::ElementType::f64 && !swapped_ && column_stride_ == unit &&
      (count == 1 || row_stride_ == width * unit) &&
      reinterpret_cast<std::uintptr_t>(start) % alignof(double) == 0) {
    return {reinterpret_cast<const double*>(start), count, columns_};
  }
  scratch.resize(count * columns_);
  if (column_stride_ == unit) {
    for (std::size_t i = 0; i < count; ++i) {
      io::to_doubles(type_, swapped_, start + static_cast<std::ptrdiff_t>(i) * row_stride_,
                 {scratch.data() + i * columns_, columns_});
    }
    return {scratch.data(), count, columns_};
  }
  // In column-major order the numbers of a column are adjacent. Convert column by column, in strips
  // of rows that stay in the cache.
  constexpr std::size_t kStrip = 32;
  double column[kStrip];
  for (std::size_t top = 0; top < count; top += kStrip) {
    const std::size_t height = std::min(kStrip, count - top);
    for (std::size_t j = 0; j < columns_; ++j) {
      const std::byte* at = start + static_cast<std::ptrdiff_t>(top) * row_stride_ +
                            static_cast<std::ptrdiff_t>(j) * column_stride_;
      if (row_stride_ == unit) {
        io::to_doubles(type_, swapped_, at, {column, height});
      } else {
        for (std::size_t i = 0; i < height; ++i) {
          io::to_doubles(type_, swapped_, at + static_cast<std::ptrdiff_t>(i) * row_stride_,
                     {column + i, 1});
        }
      }
      for (std::size_t i = 0; i < height; ++i) scratch[(top + i) * columns_ + j] = column[i];
    }
  }
  return {scratch.data(), count, columns_};
}

}  // namespace paco::python
