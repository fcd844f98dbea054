// Writes the older form of a torch.save file by hand, opcode by opcode, so that tests can also
// write what PyTorch never would.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace paco {

class PickleBuilder {
 public:
  PickleBuilder() { bytes_ = "\x80\x02"; }
  PickleBuilder& raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  PickleBuilder& text(const std::string& value) {
    const auto size = static_cast<std::uint32_t>(value.size());
    bytes_ += 'X';
    bytes_.append(reinterpret_cast<const char*>(&size), 4);
    bytes_ += value;
    return *this;
  }
  PickleBuilder& integer(std::int32_t value) {
    bytes_ += 'J';
    bytes_.append(reinterpret_cast<const char*>(&value), 4);
    return *this;
  }
  PickleBuilder& global(const std::string& module, const std::string& name) {
    bytes_ += "c" + module + "\n" + name + "\n";
    return *this;
  }
  PickleBuilder& tuple(const std::vector<std::int32_t>& values) {
    bytes_ += '(';
    for (const auto value : values) integer(value);
    bytes_ += 't';
    return *this;
  }
  // A tensor of float32 in storage `key`, as torch describes it.
  PickleBuilder& tensor(const std::string& key, std::int32_t elements, std::int32_t offset,
                        const std::vector<std::int32_t>& shape,
                        const std::vector<std::int32_t>& stride) {
    global("torch._utils", "_rebuild_tensor_v2").raw("((");
    text("storage")
        .global("torch", "FloatStorage")
        .text(key)
        .text("cpu")
        .integer(elements)
        .raw("NtQ");
    integer(offset).tuple(shape).tuple(stride).raw("\x89");
    return global("collections", "OrderedDict").raw(")RtR");
  }
  std::string finish() const { return bytes_ + "."; }

 private:
  std::string bytes_;
};

struct Storage {
  std::string key;
  std::vector<float> values;
};

// The whole file: mark, protocol, facts, `pickle`, keys and storages.
inline std::string legacy_file(const std::string& pickle, const std::vector<Storage>& storages) {
  const std::string mark("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  std::string file =
      mark + std::string("\x80\x02M\xe9\x03.", 6) + std::string("\x80\x02}.", 4) + pickle;
  PickleBuilder keys;
  keys.raw("](");
  for (const Storage& storage : storages) keys.text(storage.key);
  file += keys.raw("e").finish();
  for (const Storage& storage : storages) {
    const std::uint64_t size = storage.values.size();
    file.append(reinterpret_cast<const char*>(&size), 8);
    file.append(reinterpret_cast<const char*>(storage.values.data()), size * sizeof(float));
  }
  return file;
}

}  // namespace paco
