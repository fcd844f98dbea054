#include "io/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/json.hpp"
#include "io/npy.hpp"

namespace paco::io {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxTensorsHeader = 100'000'000;  // the limit of the format's own library
constexpr std::size_t kMaxDepth = 4;                      // a header nests three levels
constexpr std::size_t kChunk = std::size_t{1} << 16;      // elements converted at a time

constexpr std::pair<std::string_view, ElementType> kTypes[] = {
    {"BOOL", ElementType::boolean}, {"I8", ElementType::i8},     {"U8", ElementType::u8},
    {"I16", ElementType::i16},      {"U16", ElementType::u16},   {"I32", ElementType::i32},
    {"U32", ElementType::u32},      {"I64", ElementType::i64},   {"U64", ElementType::u64},
    {"F16", ElementType::f16},      {"BF16", ElementType::bf16}, {"F32", ElementType::f32},
    {"F64", ElementType::f64}};

Error damaged_tensors(const std::string& name, std::string_view what) {
  return Error{ErrorCode::bad_format,
               fmt::format("{}: not a valid safetensors file: {}", name, what),
               "write or copy the file again"};
}

// Parses the header as JSON. Rejects repeated names, which JSON libraries drop silently, and deep
// nesting.
Result<json> parse_header(std::string_view text, const std::string& name) {
  if (json_nests_deeper(text, kMaxDepth)) return damaged_tensors(name, "its header nests too deep");
  std::vector<std::set<std::string>> keys;
  std::string problem;
  const auto check = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.empty() &&
        !keys.back().insert(value.get<std::string>()).second && problem.empty()) {
      problem = fmt::format("'{}' stands twice in its header", value.get<std::string>());
    }
    return problem.empty();
  };
  json header;
  try {
    header = json::parse(text.begin(), text.end(), check, false);
  } catch (const json::exception& error) {
    return damaged_tensors(name, error.what());
  }
  if (!problem.empty()) return damaged_tensors(name, problem);
  if (header.is_discarded() || !header.is_object())
    return damaged_tensors(name, "its header is not a JSON object");
  return header;
}

bool read_sizes(const json& list, std::vector<std::uint64_t>& out) {
  if (!list.is_array()) return false;
  for (const json& size : list) {
    if (!size.is_number_unsigned()) return false;
    out.push_back(size.get<std::uint64_t>());
  }
  return true;
}

// Parses one entry of the header; the data are `size` bytes. Returns an error text if it is
// invalid.
std::optional<std::string> read_entry(const json& entry, std::uint64_t size, TensorView& tensor) {
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
      !entry.contains("shape") || !entry.contains("data_offsets") || !entry["dtype"].is_string()) {
    return "needs exactly dtype, shape and data_offsets";
  }
  const auto& dtype = entry["dtype"].get_ref<const std::string&>();
  const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const auto& known) { return known.first == dtype; });
  if (type == std::end(kTypes)) return fmt::format("has the unsupported type '{}'", dtype);
  tensor.type = type->second;
  std::vector<std::uint64_t> offsets;
  if (!read_sizes(entry["shape"], tensor.shape)) return "has a damaged shape";
  if (!read_sizes(entry["data_offsets"], offsets) || offsets.size() != 2)
    return "has damaged offsets";
  if (offsets[0] > offsets[1] || offsets[1] > size) {
    return fmt::format("lies at bytes {} to {}, the file holds {}", offsets[0], offsets[1], size);
  }
  const auto elements = count_elements(tensor.shape);
  std::uint64_t bytes = 0;
  if (!elements || __builtin_mul_overflow(*elements, element_size(tensor.type), &bytes) ||
      bytes != offsets[1] - offsets[0]) {
    return fmt::format("of shape {} and type {} does not fill its {} bytes",
                       shape_text(tensor.shape), dtype, offsets[1] - offsets[0]);
  }
  tensor.offset = offsets[0];
  tensor.size = bytes;
  return std::nullopt;
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::string& path) {
  PACO_ASSIGN(auto bytes, FileBytes::open(path));
  return from_bytes(std::move(bytes), path);
}

Result<SafetensorsFile> SafetensorsFile::from_bytes(std::vector<std::byte> bytes,
                                                    const std::string& name) {
  return from_bytes(FileBytes::of(std::move(bytes)), name);
}

Result<SafetensorsFile> SafetensorsFile::from_bytes(FileBytes bytes, const std::string& name) {
  std::vector<std::byte> buffer;
  std::uint64_t length = 0;
  if (bytes.size() < 8) return damaged_tensors(name, "it is shorter than its first field");
  PACO_ASSIGN(auto shown, bytes.at(0, 8, buffer));
  std::memcpy(&length, shown.data(), 8);
  if (length > kMaxTensorsHeader || length > bytes.size() - 8) {
    return damaged_tensors(
        name, fmt::format("its header claims {} bytes, the file has {}", length, bytes.size()));
  }
  PACO_ASSIGN(shown, bytes.at(8, length, buffer));
  const std::string_view text(reinterpret_cast<const char*>(shown.data()), length);
  PACO_ASSIGN(const json header, parse_header(text, name));

  SafetensorsFile file;
  file.name_ = name;
  file.data_ = std::move(bytes);
  const std::uint64_t start = 8 + length, size = file.data_.size() - start;
  for (const auto& [key, entry] : header.items()) {
    if (key == "__metadata__") {
      if (!entry.is_object()) return damaged_tensors(name, "__metadata__ is not an object");
      for (const auto& [word, value] : entry.items()) {
        if (!value.is_string())
          return damaged_tensors(name, fmt::format("metadata '{}' is not a string", word));
        file.metadata_[word] = value.get<std::string>();
      }
      continue;
    }
    TensorView tensor;
    tensor.name = key;
    if (const auto problem = read_entry(entry, size, tensor)) {
      return damaged_tensors(name, fmt::format("tensor '{}' {}", key, *problem));
    }
    file.tensors_.push_back(std::move(tensor));
  }
  // In the order of their bytes the tensors must follow each other without gap or overlap up to the
  // end.
  std::stable_sort(file.tensors_.begin(), file.tensors_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.offset, a.size) < std::pair(b.offset, b.size);
  });
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < file.tensors_.size(); ++i) {
    TensorView& tensor = file.tensors_[i];
    if (tensor.offset != expected) {
      return damaged_tensors(
          name, fmt::format("tensor '{}' {} its neighbour", tensor.name,
                            tensor.offset < expected ? "overlaps" : "leaves a gap to"));
    }
    expected += tensor.size;
    tensor.offset += start;
    file.index_[tensor.name] = i;
  }
  if (expected != size)
    return damaged_tensors(name, fmt::format("{} bytes belong to no tensor", size - expected));
  return file;
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

Result<const TensorView*> SafetensorsFile::tensor(std::string_view name) const {
  if (const TensorView* found = find(name)) return found;
  std::vector<std::string_view> there;
  for (const TensorView& tensor : tensors_) {
    if (there.size() < 8) there.push_back(tensor.name);
  }
  return Error{ErrorCode::not_found, fmt::format("{}: has no tensor '{}'", name_, name),
               tensors_.empty() ? "the file is empty"
                                : fmt::format("it has {}{}", fmt::join(there, ", "),
                                              tensors_.size() > there.size() ? ", ..." : "")};
}

template <class T>
Result<std::vector<T>> SafetensorsFile::read(std::string_view name) const {
  PACO_ASSIGN(const TensorView* found, tensor(name));
  if (exact_types_ && found->type != element_type_of<T>()) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: tensor '{}' holds {}, {} is expected", name_, name,
                             element_name(found->type), element_name(element_type_of<T>())),
                 "the file is damaged; restore it from a copy, or make it again"};
  }
  const std::size_t element = element_size(found->type);
  std::vector<T> values(found->elements());
  std::vector<std::byte> buffer;
  for (std::size_t done = 0; done < values.size();) {
    const std::size_t count = std::min(kChunk, values.size() - done);
    PACO_ASSIGN(const auto bytes,
                data_.at(found->offset + done * element, count * element, buffer));
    const auto part = std::span(values).subspan(done, count);
    if constexpr (std::is_same_v<T, double>) {
      to_doubles(found->type, false, bytes.data(), part);
    } else if constexpr (std::is_same_v<T, float>) {
      to_floats(found->type, false, bytes.data(), part);
    } else if (!to_integers(found->type, false, bytes.data(), part)) {
      return Error{ErrorCode::unsupported,
                   fmt::format("{}: tensor '{}' of {} cannot be read as 64-bit integers", name_,
                               name, element_name(found->type)),
                   "store it as I64"};
    }
    done += count;
  }
  return values;
}

template <class T>
Result<math::Matrix<T>> SafetensorsFile::read_matrix(std::string_view name) const {
  PACO_ASSIGN(const TensorView* found, tensor(name));
  if (found->shape.size() != 2) {
    return Error{ErrorCode::bad_shape,
                 fmt::format("{}: tensor '{}' has shape {}, two dimensions are expected", name_,
                             name, shape_text(found->shape)),
                 "store it as (rows, columns)"};
  }
  const std::size_t rows = found->shape[0], columns = found->shape[1];
  PACO_ASSIGN(auto values, read<T>(name));
  return math::Matrix<T>(rows, columns, {values.begin(), values.end()});
}

template Result<std::vector<double>> SafetensorsFile::read<double>(std::string_view) const;
template Result<std::vector<float>> SafetensorsFile::read<float>(std::string_view) const;
template Result<std::vector<std::int64_t>> SafetensorsFile::read<std::int64_t>(
    std::string_view) const;
template Result<math::Matrix<double>> SafetensorsFile::read_matrix<double>(std::string_view) const;
template Result<math::Matrix<float>> SafetensorsFile::read_matrix<float>(std::string_view) const;

ByteStream SafetensorsFile::stream(const TensorView& tensor) const {
  return data_.stream(tensor.offset, tensor.size, name_ + "#" + tensor.name);
}

void SafetensorsWriter::add(std::string name, ElementType type, std::vector<std::uint64_t> shape,
                            std::span<const std::byte> bytes) {
  assert(*count_elements(shape) * element_size(type) == bytes.size());
  tensors_.push_back({std::move(name), type, std::move(shape), bytes});
}

Result<std::string> SafetensorsWriter::header(std::vector<const Tensor*>& order) const {
  for (const Tensor& tensor : tensors_) order.push_back(&tensor);
  // Wide types first, so that every tensor is aligned to its type; then by name.
  std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) {
    return std::pair(element_size(b->type), std::string_view(a->name)) <
           std::pair(element_size(a->type), std::string_view(b->name));
  });
  nlohmann::ordered_json head = nlohmann::ordered_json::object();
  if (!metadata_.empty()) head["__metadata__"] = metadata_;
  std::uint64_t offset = 0;
  for (const Tensor* tensor : order) {
    assert(tensor->name != "__metadata__" && !head.contains(tensor->name));
    const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& known) {
      return known.second == tensor->type;
    });
    head[tensor->name] = {{"dtype", type->first},
                          {"shape", tensor->shape},
                          {"data_offsets", {offset, offset + tensor->bytes.size()}}};
    offset += tensor->bytes.size();
  }
  std::string text;
  try {
    text = head.dump();
  } catch (const json::exception&) {
    return Error{ErrorCode::bad_value, "a tensor name or metadata value is not valid UTF-8 text",
                 "use UTF-8 for class names and paths"};
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + text;
}

Result<std::vector<std::byte>> SafetensorsWriter::to_bytes() const {
  std::vector<const Tensor*> order;
  PACO_ASSIGN(const std::string head, header(order));
  const auto head_bytes = std::as_bytes(std::span(head));
  std::vector<std::byte> bytes(head_bytes.begin(), head_bytes.end());
  for (const Tensor* tensor : order) {
    bytes.insert(bytes.end(), tensor->bytes.begin(), tensor->bytes.end());
  }
  return bytes;
}

Result<void> SafetensorsWriter::write(const std::string& path) const {
  std::vector<const Tensor*> order;
  PACO_ASSIGN(const std::string head, header(order));
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  PACO_TRY(file.write(head));
  for (const Tensor* tensor : order) PACO_TRY(file.write(tensor->bytes));
  return file.commit();
}

}  // namespace paco::io
