#include "io/mat_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::io {
namespace {

// Numbers of MathWorks' description of the format: types of elements and classes of arrays.
enum ElementCode : std::uint32_t {
  kInt8 = 1,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kSingle,
  kDouble = 9,
  kInt64 = 12,
  kUint64,
  kMatrix,
  kCompressed,
  kUtf8,
  kUtf16
};
enum ClassCode : std::uint8_t {
  kCell = 1,
  kStruct = 2,
  kChar = 4,
  kFirstNumeric = 6,
  kLastNumeric = 15
};

constexpr std::size_t kHeaderBytes = 128, kTagBytes = 8, kAlignment = 8;
constexpr int kDeepest = 8;  // arrays inside arrays
constexpr std::size_t kMostUnpacked = std::size_t{1} << 28;

struct Element {
  std::uint32_t type = 0;
  std::span<const std::byte> data;
};

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class MatParser {
 public:
  explicit MatParser(const std::string& origin) : origin_(origin) {}

  Result<MatFile> file(std::span<const std::byte> bytes) {
    constexpr std::string_view kHdf = "\x89HDF";
    if (bytes.size() >= kHdf.size() && std::memcmp(bytes.data(), kHdf.data(), kHdf.size()) == 0)
      return unsupported("a file of MATLAB 7.3");
    if (bytes.size() < kHeaderBytes || std::memcmp(bytes.data(), "MATLAB", 6) != 0)
      return bad("it does not begin as a MATLAB file does");
    if (std::memcmp(bytes.data() + 126, "IM", 2) != 0)
      return unsupported("a file of a big-endian machine");
    if (number_at<std::uint16_t>(bytes, 124) >> 8 != 1) return unsupported("another version");
    bytes = bytes.subspan(kHeaderBytes);
    MatFile file;
    while (!bytes.empty()) {
      PACO_ASSIGN(const Element element, next(bytes));
      if (element.type == kCompressed) {
        PACO_ASSIGN(const std::vector<std::byte> unpacked, unpack(element.data));
        std::span<const std::byte> inner = unpacked;
        PACO_ASSIGN(const Element variable, next(inner));
        PACO_TRY(add(variable, file));
      } else {
        PACO_TRY(add(element, file));
      }
    }
    return file;
  }

 private:
  Error bad(const std::string& what) const {
    return Error{ErrorCode::bad_format, fmt::format("{}: {}", origin_, what),
                 "download or copy the file again"};
  }
  Error unsupported(const std::string& what) const {
    return Error{ErrorCode::unsupported, fmt::format("{}: {} is not read here", origin_, what),
                 "save it again in MATLAB's version 7, or convert it to csv"};
  }

  Result<void> add(const Element& element, MatFile& file) {
    if (element.type != kMatrix) return {};  // other data of the file
    PACO_ASSIGN(MatArray array, matrix(element.data, 0));
    file.variables.push_back(std::move(array));
    return {};
  }

  // Takes the next element off the front of `bytes`.
  Result<Element> next(std::span<const std::byte>& bytes) const {
    if (bytes.size() < kTagBytes) return bad("it ends within an element");
    const auto word = number_at<std::uint32_t>(bytes, 0);
    Element element;
    std::size_t used = kTagBytes;
    if (word >> 16 != 0) {  // up to four bytes inside the tag
      element.type = word & 0xffff;
      if (word >> 16 > 4) return bad("a short element is too long");
      element.data = bytes.subspan(4, word >> 16);
    } else {
      element.type = word;
      const std::size_t size = number_at<std::uint32_t>(bytes, 4);
      if (size > bytes.size() - kTagBytes) return bad("it ends within an element");
      element.data = bytes.subspan(kTagBytes, size);
      used += size;
      if (element.type != kCompressed) used += (kAlignment - size % kAlignment) % kAlignment;
    }
    bytes = bytes.subspan(std::min(used, bytes.size()));
    return element;
  }

  Result<std::vector<std::byte>> unpack(std::span<const std::byte> packed) const {
    std::vector<std::byte> out;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return bad("zlib refuses to start");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    int state = Z_OK;
    while (state == Z_OK && out.size() < kMostUnpacked) {
      const std::size_t before = out.size();
      out.resize(std::max<std::size_t>(std::size_t{1} << 16, 2 * before));
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
      stream.avail_out = static_cast<uInt>(out.size() - before);
      state = inflate(&stream, Z_NO_FLUSH);
      out.resize(out.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (state != Z_STREAM_END) return bad("its compressed part is damaged or too large");
    return out;
  }

  static std::size_t width_of(std::uint32_t type) {
    switch (type) {
      case kInt8:
      case kUint8:
      case kUtf8:
        return 1;
      case kInt16:
      case kUint16:
      case kUtf16:
        return 2;
      case kInt32:
      case kUint32:
      case kSingle:
        return 4;
      case kDouble:
      case kInt64:
      case kUint64:
        return 8;
      default:
        return 0;
    }
  }
  static double value_at(const Element& e, std::size_t i) {
    switch (e.type) {
      case kInt8:
        return number_at<std::int8_t>(e.data, i);
      case kUint8:
      case kUtf8:
        return number_at<std::uint8_t>(e.data, i);
      case kInt16:
        return number_at<std::int16_t>(e.data, 2 * i);
      case kUint16:
      case kUtf16:
        return number_at<std::uint16_t>(e.data, 2 * i);
      case kInt32:
        return number_at<std::int32_t>(e.data, 4 * i);
      case kUint32:
        return number_at<std::uint32_t>(e.data, 4 * i);
      case kSingle:
        return number_at<float>(e.data, 4 * i);
      case kInt64:
        return static_cast<double>(number_at<std::int64_t>(e.data, 8 * i));
      case kUint64:
        return static_cast<double>(number_at<std::uint64_t>(e.data, 8 * i));
      default:
        return number_at<double>(e.data, 8 * i);
    }
  }
  Result<std::vector<double>> values(const Element& element) const {
    const std::size_t width = width_of(element.type);
    if (width == 0 || element.data.size() % width != 0) return bad("an array has no numbers");
    std::vector<double> out(element.data.size() / width);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = value_at(element, i);
    return out;
  }

  Result<MatArray> matrix(std::span<const std::byte> bytes, int depth) {
    MatArray array;
    if (bytes.empty()) return array;
    if (depth > kDeepest) return bad("its arrays are too deep inside each other");
    PACO_ASSIGN(const Element flags, next(bytes));
    PACO_ASSIGN(const Element sizes, next(bytes));
    PACO_ASSIGN(const Element name, next(bytes));
    if (flags.type != kUint32 || flags.data.size() != 8 || sizes.type != kInt32)
      return bad("an array is described in an unknown way");
    array.name.assign(reinterpret_cast<const char*>(name.data.data()), name.data.size());
    PACO_ASSIGN(const std::vector<double> shape, values(sizes));
    double elements = 1;
    for (const double size : shape) elements *= size;
    // Every element needs at least one byte, except for empty text and cells.
    if (elements < 0 || elements > static_cast<double>(kMostUnpacked))
      return bad("an array has an impossible size");
    array.elements = static_cast<std::size_t>(elements);
    const auto code = std::to_integer<std::uint8_t>(flags.data[0]);
    if (code == kCell) return cells(std::move(array), MatArray::Kind::cells, 1, bytes, depth);
    if (code == kStruct) return structs(std::move(array), bytes, depth);
    if (code == kChar) return text(std::move(array), bytes);
    if (code < kFirstNumeric || code > kLastNumeric)
      return unsupported("an object or sparse array");
    PACO_ASSIGN(const Element numbers, next(bytes));
    PACO_ASSIGN(array.numbers, values(numbers));
    if (array.numbers.size() != array.elements) return bad("an array is not as large as it says");
    return array;
  }

  Result<MatArray> text(MatArray array, std::span<const std::byte> bytes) const {
    array.kind = MatArray::Kind::text;
    if (bytes.empty()) return array;
    PACO_ASSIGN(const Element characters, next(bytes));
    PACO_ASSIGN(const std::vector<double> codes, values(characters));
    for (const double code : codes) {
      const auto c = static_cast<std::uint32_t>(code);
      if (characters.type == kUtf8 || c < 0x80) {
        array.text += static_cast<char>(c);
      } else if (c < 0x800) {
        array.text += {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))};
      } else {
        array.text += '?';
      }
    }
    return array;
  }

  Result<MatArray> cells(MatArray array, MatArray::Kind kind, std::size_t each,
                         std::span<const std::byte> bytes, int depth) {
    array.kind = kind;
    for (std::size_t i = 0; i < array.elements * each; ++i) {
      PACO_ASSIGN(const Element element, next(bytes));
      if (element.type != kMatrix) return bad("a cell holds no array");
      PACO_ASSIGN(MatArray inner, matrix(element.data, depth + 1));
      array.cells.push_back(std::move(inner));
    }
    return array;
  }

  Result<MatArray> structs(MatArray array, std::span<const std::byte> bytes, int depth) {
    PACO_ASSIGN(const Element length_element, next(bytes));
    PACO_ASSIGN(const Element names, next(bytes));
    PACO_ASSIGN(const std::vector<double> length, values(length_element));
    if (length.size() != 1 || length[0] < 1 || length[0] > 1024)
      return bad("the names of its fields have an impossible length");
    const auto each = static_cast<std::size_t>(length[0]);
    for (std::size_t at = 0; at + each <= names.data.size(); at += each) {
      const auto* begin = reinterpret_cast<const char*>(names.data.data()) + at;
      array.fields.emplace_back(begin, strnlen(begin, each));
    }
    const std::size_t fields = array.fields.size();
    return cells(std::move(array), MatArray::Kind::structs, fields, bytes, depth);
  }

  const std::string& origin_;
};

}  // namespace

const MatArray* MatArray::field(std::size_t element, std::string_view wanted) const {
  const auto found = std::find(fields.begin(), fields.end(), wanted);
  if (kind != Kind::structs || found == fields.end() || element >= elements) return nullptr;
  return &cells[element * fields.size() + static_cast<std::size_t>(found - fields.begin())];
}

const MatArray* MatFile::find(std::string_view name) const {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const MatArray& array) { return array.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

Result<MatFile> parse_mat(std::span<const std::byte> bytes, const std::string& origin) {
  return MatParser(origin).file(bytes);
}

Result<MatFile> read_mat(const std::string& path) {
  PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(path, kMostUnpacked));
  return parse_mat(bytes, path);
}

}  // namespace paco::io
