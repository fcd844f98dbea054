#include "embed/images/cifar_pickle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/try.hpp"
#include "embed/weights/pickle.hpp"

namespace paco::embed {
namespace {

constexpr std::size_t kPixelBytes = 3 * 32 * 32;

Error no_batch(const std::string& path, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", path, what),
               "give a training batch of CIFAR's Python version, or use the binary version"};
}

}  // namespace

Result<std::vector<std::byte>> cifar_records(std::span<const std::byte> pickle, bool hundred,
                                             const std::string& path) {
  using Kind = PickleValue::Kind;
  PACO_ASSIGN(const Pickle batch, read_pickle(pickle, path, PickleUse::arrays));
  const char* key = hundred ? "fine_labels" : "labels";
  const PickleValue& root = batch[batch.root];
  const PickleValue* labels = batch.find(root, key);
  const PickleValue* data = batch.find(root, "data");
  if (labels == nullptr || labels->kind != Kind::list || data == nullptr ||
      data->kind != Kind::array || data->items.size() != 2)
    return no_batch(path, fmt::format("has no \"data\" or no \"{}\"", key));
  const std::string& pixels = batch[data->items[1]].text;
  const std::size_t images = labels->items.size();
  if (!data->text.ends_with("u1") || data->integer != 0 || pixels.size() != images * kPixelBytes)
    return no_batch(path, fmt::format("has {} labels and {} bytes of type '{}', 3072 an image "
                                      "are expected",
                                      images, pixels.size(), data->text));
  std::vector<std::byte> records;
  records.reserve(images * (kPixelBytes + 2));
  for (std::size_t i = 0; i < images; ++i) {
    const PickleValue& label = batch[labels->items[i]];
    if (label.kind != Kind::integer || label.integer < 0 || label.integer > 255)
      return no_batch(path, fmt::format("image {} has no class", i));
    if (hundred) records.push_back(std::byte{0});
    records.push_back(static_cast<std::byte>(label.integer));
    const auto* begin = reinterpret_cast<const std::byte*>(pixels.data()) + i * kPixelBytes;
    records.insert(records.end(), begin, begin + kPixelBytes);
  }
  return records;
}

Result<std::vector<std::string>> cifar_names(std::span<const std::byte> pickle, bool hundred,
                                             const std::string& path) {
  PACO_ASSIGN(const Pickle meta, read_pickle(pickle, path, PickleUse::arrays));
  const char* key = hundred ? "fine_label_names" : "label_names";
  const PickleValue* list = meta.find(meta[meta.root], key);
  if (list == nullptr) return no_batch(path, fmt::format("has no \"{}\"", key));
  std::vector<std::string> names;
  for (const PickleId name : list->items) names.push_back(meta[name].text);
  return names;
}

}  // namespace paco::embed
