#include "embed/weights/state_dict.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "core/try.hpp"
#include "embed/weights/torch_file.hpp"
#include "io/npy.hpp"
#include "io/safetensors.hpp"
#include "io/zip.hpp"

namespace paco::embed {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kWrappers[] = {"teacher", "student", "state_dict", "model"};
constexpr std::string_view kPrefixes[] = {"module.", "backbone.", "features."};
constexpr int kDeepestWrapping = 4;

bool holds_tensors(const Pickle& pickle, const PickleValue& dictionary) {
  for (const auto& entry : dictionary.entries)
    if (pickle[entry.second].kind == Kind::tensor) return true;
  return false;
}

// The dictionary of tensors, with the wrappers around it taken off.
Result<const PickleValue*> unwrap(const Pickle& pickle, const std::string& origin) {
  const PickleValue* value = &pickle[pickle.root];
  for (int depth = 0; depth < kDeepestWrapping; ++depth) {
    if (value->kind != Kind::dictionary) break;
    if (holds_tensors(pickle, *value)) return value;
    const PickleValue* inner = nullptr;
    for (const std::string_view wrapper : kWrappers)
      if (inner == nullptr) inner = pickle.find(*value, wrapper);
    if (inner == nullptr) break;
    value = inner;
  }
  return bad_weights(origin, "there is no dictionary of tensors in it");
}

Result<std::vector<float>> copy_elements(const PickleTensor& tensor, std::uint64_t count,
                                         io::ElementType type, std::span<const std::byte> storage) {
  std::vector<float> values(count);
  const std::size_t size = io::element_size(type), dimensions = tensor.shape.size();
  // Row-major tensors, which nearly all are, come in one piece.
  std::int64_t expected = 1;
  bool dense = true;
  for (std::size_t i = dimensions; i-- > 0; expected *= tensor.shape[i])
    dense = dense && (tensor.shape[i] == 1 || tensor.stride[i] == expected);
  const std::byte* first = storage.data() + static_cast<std::size_t>(tensor.offset) * size;
  if (dense) {
    io::to_floats(type, false, first, values);
    return values;
  }
  std::vector<std::int64_t> index(dimensions, 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dimensions; ++d) at += index[d] * tensor.stride[d];
    io::to_floats(type, false, first + static_cast<std::size_t>(at) * size, {values.data() + i, 1});
    for (std::size_t d = dimensions; d-- > 0 && ++index[d] == tensor.shape[d];) index[d] = 0;
  }
  return values;
}

// How many elements a tensor has, once its shape and strides are known to stay inside `available`
// elements.
Result<std::uint64_t> checked_count(const PickleTensor& tensor, std::uint64_t available,
                                    const std::string& what) {
  const Error outside = bad_weights(what, "its shape reaches outside its storage");
  if (tensor.offset < 0 || tensor.shape.size() != tensor.stride.size()) return outside;
  std::uint64_t count = 1;
  std::uint64_t last = static_cast<std::uint64_t>(tensor.offset);
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 0 || tensor.stride[i] < 0) return outside;
    const auto length = static_cast<std::uint64_t>(tensor.shape[i]);
    const auto stride = static_cast<std::uint64_t>(tensor.stride[i]);
    // A storage holds less than 2^40 elements, so nothing here overflows before it is refused.
    if (length > available || stride > available + 1) return outside;
    count *= length;
    if (length > 0) last += (length - 1) * stride;
    if (count > available || last > available) return outside;
  }
  if (count > 0 && last >= available) return outside;
  return count;
}

Result<StateDict> extract(const TorchFile& file, const std::string& origin,
                          std::uint64_t file_bytes) {
  PACO_ASSIGN(const PickleValue* dictionary, unwrap(file.pickle, origin));
  StateDict result;
  std::set<std::string> seen;
  std::uint64_t total = 0;
  for (const auto& [key, id] : dictionary->entries) {
    const PickleValue& value = file.pickle[id];
    if (value.kind != Kind::tensor) continue;  // counters and settings beside the tensors
    if (file.pickle[key].kind != Kind::text) return bad_weights(origin, "a tensor has no name");
    NamedTensor named;
    named.name = file.pickle[key].text;
    const std::string what = fmt::format("{}: tensor {}", origin, named.name);
    if (!seen.insert(named.name).second) return bad_weights(what, "it is there twice");
    const PickleValue& storage = file.pickle[value.tensor.storage];
    const std::string& type_name = file.pickle[storage.items[1]].text;
    const auto type = storage_type(type_name);
    if (!type)
      return bad_weights(what, fmt::format("numbers of type {} are not read here", type_name));
    const auto bytes = file.storages.find(file.pickle[storage.items[2]].text);
    if (bytes == file.storages.end()) return bad_weights(what, "its numbers are missing");
    PACO_ASSIGN(const std::uint64_t count,
                checked_count(value.tensor, bytes->second.size() / io::element_size(*type), what));
    total += count;
    // Tensors may share numbers, but a small file does not become a large dictionary.
    if (total > 4 * file_bytes)
      return bad_weights(what, "the same numbers are used again and again");
    named.shape.assign(value.tensor.shape.begin(), value.tensor.shape.end());
    PACO_ASSIGN(named.values, copy_elements(value.tensor, count, *type, bytes->second));
    result.push_back(std::move(named));
  }
  return result;
}

Result<StateDict> read_safetensors(io::FileBytes bytes, const std::string& path) {
  PACO_ASSIGN(const auto file, io::SafetensorsFile::from_bytes(std::move(bytes), path));
  StateDict result;
  for (const io::TensorView& tensor : file.tensors()) {
    PACO_ASSIGN(auto values, file.read<float>(tensor.name));
    result.push_back({tensor.name, tensor.shape, std::move(values)});
  }
  return result;
}

// safetensors begins with the length of its header, whose first byte is "{".
bool looks_like_safetensors(std::span<const std::byte> bytes) {
  return bytes.size() > 9 && bytes[8] == std::byte{'{'} && bytes[6] == std::byte{0} &&
         bytes[7] == std::byte{0};
}

}  // namespace

Result<StateDict> read_state_dict(const std::string& path) {
  PACO_ASSIGN(io::FileBytes bytes, io::FileBytes::open(path));
  return parse_state_dict(std::move(bytes), path);
}

Result<StateDict> parse_state_dict(io::FileBytes bytes, const std::string& origin) {
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto head, bytes.at(0, std::min<std::uint64_t>(bytes.size(), 10), buffer));
  if (looks_like_safetensors(head)) return read_safetensors(std::move(bytes), origin);
  PACO_ASSIGN(const auto all, bytes.at(0, bytes.size(), buffer));
  return parse_torch_file(all, origin);
}

Result<StateDict> parse_torch_file(std::span<const std::byte> bytes, const std::string& origin) {
  if (looks_like_zip(bytes)) {
    PACO_ASSIGN(const auto archive, io::ZipArchive::open(io::FileBytes::of(bytes), origin));
    if (is_torchscript(archive))
      return Error{ErrorCode::unsupported,
                   fmt::format("{}: this is a TorchScript archive, not a state dict", origin),
                   kSaveAgain};
    PACO_ASSIGN(const TorchFile file, read_torch_zip(archive));
    return extract(file, origin, bytes.size());
  }
  if (bytes.size() < 2 || bytes[0] != std::byte{0x80})
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: neither safetensors nor a file of torch.save", origin),
                 kSaveAgain};
  PACO_ASSIGN(const TorchFile file, read_torch_legacy(bytes, origin));
  return extract(file, origin, bytes.size());
}

Result<bool> is_torchscript_file(const std::string& path) {
  PACO_ASSIGN(const io::FileBytes bytes, io::FileBytes::open(path));
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto head, bytes.at(0, std::min<std::uint64_t>(bytes.size(), 4), buffer));
  if (!looks_like_zip(head)) return false;
  PACO_ASSIGN(const auto archive, io::ZipArchive::open(bytes, path));
  return is_torchscript(archive);
}

std::string plain_name(const std::string& name) {
  std::string_view rest = name;
  for (bool stripped = true; stripped;) {
    stripped = false;
    for (const std::string_view prefix : kPrefixes)
      if (rest.starts_with(prefix)) {
        rest.remove_prefix(prefix.size());
        stripped = true;
      }
  }
  return std::string(rest);
}

}  // namespace paco::embed
