#include "embed/weights/torch_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "core/try.hpp"

namespace paco::embed {
namespace {

using Kind = PickleValue::Kind;

constexpr std::uint64_t kLargestPickle = std::uint64_t{64} << 20;
constexpr std::uint64_t kLargestStorage = std::uint64_t{1} << 34;
constexpr const char* kHint =
    "save the weights again with torch.save(model.state_dict(), ...) or as safetensors";
// The first pickle of the older form; its low 64 bits.
constexpr std::uint64_t kLegacyMagic = 0xa86a20f9469cfc6cull;

Error bad(const std::string& origin, const std::string& what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: {}", origin, what), kHint};
}

const io::ZipMember* find_member(const io::ZipArchive& archive, const std::string& name) {
  for (const io::ZipMember& member : archive.members())
    if (member.name == name) return &member;
  return nullptr;
}

// Everything lies in one folder of the archive, whose name is the file's when it was saved.
std::string folder_of(const io::ZipArchive& archive) {
  constexpr std::string_view pickle = "/data.pkl";
  for (const io::ZipMember& member : archive.members())
    if (member.name.ends_with(pickle))
      return member.name.substr(0, member.name.size() - pickle.size() + 1);
  return {};
}

std::set<std::string> storage_keys(const Pickle& pickle) {
  std::set<std::string> keys;
  for (const PickleValue& value : pickle.values)
    if (value.kind == Kind::storage) keys.insert(pickle[value.items[2]].text);
  return keys;
}

std::size_t bytes_per_element(const Pickle& pickle, const std::string& key) {
  for (const PickleValue& value : pickle.values) {
    if (value.kind != Kind::storage || pickle[value.items[2]].text != key) continue;
    const auto type = storage_type(pickle[value.items[1]].text);
    return type ? io::element_size(*type) : 0;
  }
  return 0;
}

}  // namespace

bool looks_like_zip(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), "PK\x03\x04", 4) == 0;
}

bool is_torchscript(const io::ZipArchive& archive) {
  return find_member(archive, folder_of(archive) + "constants.pkl") != nullptr;
}

std::optional<io::ElementType> storage_type(std::string_view global) {
  struct Named {
    std::string_view name;
    io::ElementType type;
  };
  constexpr Named known[] = {{"torch.FloatStorage", io::ElementType::f32},
                             {"torch.DoubleStorage", io::ElementType::f64},
                             {"torch.HalfStorage", io::ElementType::f16},
                             {"torch.BFloat16Storage", io::ElementType::bf16},
                             {"torch.LongStorage", io::ElementType::i64},
                             {"torch.IntStorage", io::ElementType::i32},
                             {"torch.ShortStorage", io::ElementType::i16},
                             {"torch.CharStorage", io::ElementType::i8},
                             {"torch.ByteStorage", io::ElementType::u8},
                             {"torch.BoolStorage", io::ElementType::boolean}};
  for (const Named& each : known)
    if (each.name == global) return each.type;
  return std::nullopt;
}

Result<TorchFile> read_torch_zip(const io::ZipArchive& archive) {
  const std::string folder = folder_of(archive);
  const io::ZipMember* pickle = find_member(archive, folder + "data.pkl");
  if (folder.empty() || pickle == nullptr)
    return bad(archive.name(), "the zip archive holds no data.pkl, so PyTorch did not write it");
  if (const io::ZipMember* order = find_member(archive, folder + "byteorder")) {
    PACO_ASSIGN(const auto text, archive.stream(*order).read_rest(64));
    if (text.size() != 6 || std::memcmp(text.data(), "little", 6) != 0)
      return bad(archive.name(), "the numbers are in big-endian order, which is not read here");
  }
  PACO_ASSIGN(const auto program, archive.stream(*pickle).read_rest(kLargestPickle));
  TorchFile file;
  PACO_ASSIGN(file.pickle, read_pickle(program, archive.name() + "#data.pkl"));
  for (const std::string& key : storage_keys(file.pickle)) {
    const io::ZipMember* member = find_member(archive, folder + "data/" + key);
    if (member == nullptr)
      return bad(archive.name(), fmt::format("the numbers of storage \"{}\" are missing", key));
    PACO_ASSIGN(file.storages[key], archive.stream(*member).read_rest(kLargestStorage));
  }
  return file;
}

Result<TorchFile> read_torch_legacy(std::span<const std::byte> bytes, const std::string& origin) {
  PACO_ASSIGN(const Pickle magic, read_pickle(bytes, origin));
  if (magic[magic.root].kind != Kind::integer ||
      static_cast<std::uint64_t>(magic[magic.root].integer) != kLegacyMagic)
    return bad(origin, "this is no file of torch.save: its first value is not PyTorch's mark");
  std::size_t at = magic.length;
  for (int i = 0; i < 2; ++i) {  // protocol version, facts about the machine
    PACO_ASSIGN(const Pickle skipped, read_pickle(bytes.subspan(at), origin));
    at += skipped.length;
  }
  TorchFile file;
  PACO_ASSIGN(file.pickle, read_pickle(bytes.subspan(at), origin));
  at += file.pickle.length;
  PACO_ASSIGN(const Pickle keys, read_pickle(bytes.subspan(at), origin));
  at += keys.length;
  for (const PickleId id : keys[keys.root].items) {
    const std::string& key = keys[id].text;
    std::uint64_t elements = 0;
    const std::size_t size = bytes_per_element(file.pickle, key);
    if (size == 0) return bad(origin, fmt::format("storage \"{}\" is of no known type", key));
    if (bytes.size() - at < sizeof elements)
      return bad(origin, "the file ends before its last storage");
    std::memcpy(&elements, bytes.data() + at, sizeof elements);
    at += sizeof elements;
    if (elements > (bytes.size() - at) / size)
      return bad(origin, "the file ends before its last storage");
    const auto numbers = bytes.subspan(at, elements * size);
    file.storages[key].assign(numbers.begin(), numbers.end());
    at += numbers.size();
  }
  return file;
}

}  // namespace paco::embed
