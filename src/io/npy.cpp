#include "io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/try.hpp"
#include "io/npy_header.hpp"

namespace paco::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files are written in this machine's byte order");

// Numbers read at a time; the array grows only as its bytes arrive.
constexpr std::size_t kChunk = std::size_t{1} << 16;

template <class T>
bool convert(const NpyHeader& header, const std::byte* in, std::span<T> out) {
  if constexpr (std::is_same_v<T, double>) {
    to_doubles(header.type, header.swapped, in, out);
    return true;
  } else if constexpr (std::is_same_v<T, float>) {
    to_floats(header.type, header.swapped, in, out);
    return true;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return to_integers(header.type, header.swapped, in, out);
  } else {
    std::vector<std::int64_t> wide(out.size());
    if (!to_integers(header.type, header.swapped, in, wide)) return false;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (wide[i] < std::numeric_limits<T>::min() || wide[i] > std::numeric_limits<T>::max())
        return false;
      out[i] = static_cast<T>(wide[i]);
    }
    return true;
  }
}

// From column-major to row-major order: the last index of the result runs fastest, that of the
// input slowest.
template <class T>
std::vector<T> to_row_major(const std::vector<std::uint64_t>& shape, const std::vector<T>& in) {
  std::vector<T> out(in.size());
  std::vector<std::uint64_t> index(shape.size(), 0);
  for (const T& value : in) {
    std::uint64_t at = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) at = at * shape[axis] + index[axis];
    out[at] = value;
    for (std::size_t axis = 0; axis < shape.size() && ++index[axis] == shape[axis]; ++axis)
      index[axis] = 0;
  }
  return out;
}

}  // namespace

template <class T>
Result<NpyArray<T>> read_npy(ByteStream& stream) {
  PACO_ASSIGN(const NpyHeader header, read_npy_header(stream));
  // Booleans are a mask; converting them to the numbers 0 and 1 would change their meaning.
  const bool mask = header.text_bytes == 0 && header.type == ElementType::boolean;
  if (header.text_bytes > 0 || (std::is_integral_v<T> && (mask || is_floating(header.type)))) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{}: holds {}, but {} are expected here", stream.name(),
                             header.text_bytes > 0 ? "text" : element_name(header.type),
                             std::is_integral_v<T> ? "integers" : "numbers"),
                 mask ? "save numpy.flatnonzero(mask) instead"
                      : "convert the array with astype() in numpy and save it again"};
  }
  const std::size_t size = element_size(header.type);
  NpyArray<T> array{header.shape, {}};
  while (array.data.size() < header.elements) {
    const std::uint64_t left = header.elements - array.data.size();
    PACO_ASSIGN(auto ready, stream.peek(std::min<std::uint64_t>(left, kChunk) * size));
    const std::size_t count = std::min<std::uint64_t>(left, ready.size() / size);
    if (count == 0) return npy_truncated(stream.name(), header, array.data.size());
    const std::size_t done = array.data.size();
    array.data.resize(done + count);
    if (!convert<T>(header, ready.data(), std::span(array.data).subspan(done))) {
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: a value among elements {} to {} does not fit a {}-bit integer",
                               stream.name(), done, done + count - 1, 8 * sizeof(T)),
                   "check that the file holds what is expected here"};
    }
    stream.consume(count * size);
  }
  PACO_TRY(expect_npy_end(stream));
  if (header.column_major && header.shape.size() > 1)
    array.data = to_row_major(header.shape, array.data);
  return array;
}

template <class T>
Result<NpyArray<T>> read_npy(const std::string& path) {
  PACO_ASSIGN(auto stream, ByteStream::open(path));
  return read_npy<T>(stream);
}

template <class T>
Result<void> write_npy(const std::string& path, std::span<const std::uint64_t> shape,
                       std::span<const T> data) {
  assert(count_elements(shape) == data.size());
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  PACO_TRY(file.write(npy_header(element_type_of<T>(), shape)));
  PACO_TRY(file.write(std::as_bytes(data)));
  return file.commit();
}

#define PACO_NPY_TYPE(T)                                                                 \
  template Result<NpyArray<T>> read_npy<T>(const std::string&);                          \
  template Result<NpyArray<T>> read_npy<T>(ByteStream&);                                 \
  template Result<void> write_npy<T>(const std::string&, std::span<const std::uint64_t>, \
                                     std::span<const T>);
PACO_NPY_TYPE(double)
PACO_NPY_TYPE(float)
PACO_NPY_TYPE(std::int64_t)
PACO_NPY_TYPE(std::int32_t)
PACO_NPY_TYPE(std::uint8_t)
#undef PACO_NPY_TYPE

Result<NpyWriter> NpyWriter::create(const std::string& path, ElementType type,
                                    std::vector<std::uint64_t> row_shape) {
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  NpyWriter writer(std::move(file), type, std::move(row_shape));
  std::vector<std::uint64_t> shape = writer.row_shape_;
  shape.insert(shape.begin(), 0);
  PACO_TRY(writer.file_.write(npy_header(type, shape)));
  return writer;
}

Result<void> NpyWriter::append(std::span<const double> values) {
  buffer_.resize(values.size() * element_size(type_));
  if (!from_doubles(type_, values, buffer_.data())) {
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: a value at or after row {} is too large for {}", file_.path(),
                             rows_, element_name(type_)),
                 "write a wider type, e.g. float32"};
  }
  return append_bytes(buffer_);
}

Result<void> NpyWriter::append_bytes(std::span<const std::byte> bytes) {
  const std::uint64_t row_bytes = *count_elements(row_shape_) * element_size(type_);
  assert(row_bytes > 0 && bytes.size() % row_bytes == 0);
  PACO_TRY(file_.write(bytes));
  rows_ += bytes.size() / row_bytes;
  return {};
}

Result<void> NpyWriter::commit() {
  std::vector<std::uint64_t> shape = row_shape_;
  shape.insert(shape.begin(), rows_);
  const std::string header = npy_header(type_, shape);
  PACO_TRY(file_.write_at(0, std::as_bytes(std::span(header))));
  return file_.commit();
}

}  // namespace paco::io
