// The header of an npy file: a magic string, a version, a length, and a Python dictionary with
// three keys.
//
// The dictionary is read by a parser of just that grammar: quoted keys, a quoted type, True or
// False, a tuple of integers. Anything else is refused.
#include "io/npy_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstring>

#include "core/try.hpp"

namespace paco::io {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxNpyHeader = 1 << 20;
constexpr std::size_t kMaxAxes = 32;  // numpy's own limit

Error damaged_npy(const std::string& name, std::string_view what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: not a readable npy file: {}", name, what),
               "write it again with numpy.save, and copy it in binary mode"};
}

// A cursor on the dictionary's text; every step returns whether it found the expected text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_space();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    skip_space();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inside;
  }
  std::optional<std::uint64_t> integer() {
    skip_space();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (!text_.empty() && text_.front() == 'L') text_.remove_prefix(1);  // Python 2 wrote 10L
    return value;
  }
  bool at_end() {
    skip_space();
    return text_.empty();
  }

 private:
  void skip_space() {
    while (!text_.empty() &&
           (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t')) {
      text_.remove_prefix(1);
    }
  }
  std::string_view text_;
};

bool parse_shape(Cursor& cursor, std::vector<std::uint64_t>& shape) {
  if (!cursor.take('(')) return false;
  while (!cursor.take(')')) {
    const auto size = cursor.integer();
    if (!size || shape.size() == kMaxAxes) return false;
    shape.push_back(*size);
    if (!cursor.take(',')) return shape.size() > 1 && cursor.take(')');
  }
  return true;
}

// A numpy type string such as "<f4", ">i8", "|u1", "<U7".
bool parse_type(std::string_view text, NpyHeader& header) {
  if (text.size() < 3) return false;
  const char order = text[0];
  if (order != '<' && order != '>' && order != '|' && order != '=') return false;
  header.swapped = order == '>';
  const std::string_view kind = text.substr(1);
  constexpr std::pair<std::string_view, ElementType> kTypes[] = {
      {"f2", ElementType::f16}, {"f4", ElementType::f32}, {"f8", ElementType::f64},
      {"i1", ElementType::i8},  {"i2", ElementType::i16}, {"i4", ElementType::i32},
      {"i8", ElementType::i64}, {"u1", ElementType::u8},  {"u2", ElementType::u16},
      {"u4", ElementType::u32}, {"u8", ElementType::u64}, {"b1", ElementType::boolean}};
  for (const auto& [name, type] : kTypes) {
    if (kind == name) {
      header.type = type;
      return order != '|' || element_size(type) == 1;
    }
  }
  if (kind[0] != 'U' && kind[0] != 'S') return false;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(kind.data() + 1, kind.data() + kind.size(), length);
  if (error != std::errc() || end != kind.data() + kind.size() || length == 0 ||
      length > (1u << 20))
    return false;
  header.text_unit = kind[0] == 'U' ? 4 : 1;
  header.text_bytes = length * header.text_unit;
  return true;
}

// Parses the dictionary into `header`; returns an error text if it is invalid.
std::optional<std::string> parse_dictionary(std::string_view text, NpyHeader& header) {
  Cursor cursor(text);
  if (!cursor.take('{')) return "its header is not a dictionary";
  bool has_type = false, has_order = false, has_shape = false;
  bool closed = cursor.take('}');
  while (!closed) {
    const auto key = cursor.quoted();
    if (!key || !cursor.take(':')) return "its header is damaged";
    if (*key == "descr" && !has_type) {
      const auto type = cursor.quoted();
      if (!type) return "it holds records, not plain numbers";
      if (!parse_type(*type, header))
        return fmt::format("type '{}' is not supported (f2 f4 f8 i1-i8 u1-u8 b1 are)", *type);
      has_type = true;
    } else if (*key == "fortran_order" && !has_order) {
      header.column_major = cursor.take_word("True");
      if (!header.column_major && !cursor.take_word("False"))
        return "'fortran_order' is neither True nor False";
      has_order = true;
    } else if (*key == "shape" && !has_shape) {
      if (!parse_shape(cursor, header.shape)) return "its shape is damaged";
      has_shape = true;
    } else {
      return fmt::format("its header has an unexpected key '{}'", *key);
    }
    const bool more = cursor.take(',');
    closed = cursor.take('}');
    if (!more && !closed) return "its header is damaged";
  }
  if (!has_type || !has_order || !has_shape)
    return "its header lacks 'descr', 'fortran_order' or 'shape'";
  if (!cursor.at_end()) return "its header is damaged";
  return std::nullopt;
}

}  // namespace

std::string shape_text(std::span<const std::uint64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

bool looks_like_npy(std::span<const std::byte> head) {
  return head.size() >= kMagic.size() &&
         std::memcmp(head.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<NpyHeader> read_npy_header(ByteStream& stream) {
  const std::string& name = stream.name();
  PACO_ASSIGN(auto head, stream.peek(12));
  if (head.empty()) return damaged_npy(name, "the file is empty");
  if (!looks_like_npy(head)) return damaged_npy(name, "it does not begin with numpy's signature");
  if (head.size() < 12) return damaged_npy(name, "it ends inside its header");
  const auto major = std::to_integer<int>(head[6]);
  if (major < 1 || major > 3) return damaged_npy(name, fmt::format("version {} is unknown", major));
  // Version 1 has a 16-bit length, versions 2 and 3 a 32-bit one.
  std::uint32_t length = 0;
  std::memcpy(&length, head.data() + 8, major == 1 ? 2 : 4);
  if (length > kMaxNpyHeader)
    return damaged_npy(name, fmt::format("its header claims {} bytes", length));
  const std::size_t start = major == 1 ? 10 : 12;
  PACO_ASSIGN(auto all, stream.peek(start + length));
  if (all.size() < start + length) return damaged_npy(name, "it ends inside its header");
  NpyHeader header;
  const std::string_view text(reinterpret_cast<const char*>(all.data()) + start, length);
  if (const auto problem = parse_dictionary(text, header)) return damaged_npy(name, *problem);
  stream.consume(start + length);

  const auto elements = count_elements(header.shape);
  std::uint64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, header.element_bytes(), &bytes)) {
    return damaged_npy(name,
                       fmt::format("shape {} is larger than any file", shape_text(header.shape)));
  }
  header.elements = *elements;
  if (stream.left() && *stream.left() < bytes) {
    return damaged_npy(
        name,
        fmt::format("shape {} of {} needs {} bytes, the file has {} after its header",
                    shape_text(header.shape), element_name(header.type), bytes, *stream.left()));
  }
  return header;
}

Error npy_truncated(const std::string& name, const NpyHeader& header, std::uint64_t elements) {
  return damaged_npy(name, fmt::format("shape {} promises {} elements, the data end after {}",
                                       shape_text(header.shape), header.elements, elements));
}

Result<void> expect_npy_end(ByteStream& stream) {
  PACO_ASSIGN(auto rest, stream.peek(1));
  if (rest.empty()) return {};
  return damaged_npy(stream.name(), "bytes follow after the last element");
}

std::string npy_header(ElementType type, std::span<const std::uint64_t> shape) {
  constexpr std::string_view kTypes[] = {"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4",
                                         "<i8", "<u8", "<f2", "",    "<f4", "<f8"};
  const std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                  kTypes[static_cast<std::size_t>(type)], shape_text(shape));
  // The first size gets room for 20 digits, whatever its present value.
  const std::size_t first_digits = shape.empty() ? 20 : std::to_string(shape[0]).size();
  const std::size_t longest = 10 + dictionary.size() + (20 - first_digits) + 1;
  const std::size_t total = (longest + 63) / 64 * 64;
  std::string header(kMagic);
  header += {'\1', '\0'};
  const std::size_t length = total - 10;
  header += static_cast<char>(length & 0xff);
  header += static_cast<char>(length >> 8);
  header += dictionary;
  header.resize(total - 1, ' ');
  return header + '\n';
}

}  // namespace paco::io
