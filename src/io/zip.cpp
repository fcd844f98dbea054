#include "io/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/try.hpp"
#include "io/inflate.hpp"
#include "io/zip_format.hpp"

namespace paco::io {
namespace {

// Deflate cannot compress more than 1032 to 1; a member that claims more is invalid.
constexpr std::uint64_t kMaxRatio = 1040;
constexpr std::size_t kMaxMembers = 65536;
constexpr std::uint64_t kMaxDirectoryBytes = std::uint64_t{1} << 28;

template <class T>
T load(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Error damaged_zip(const std::string& name, std::string_view what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: not a readable npz file: {}", name, what),
               "write it again with numpy.savez, and copy it in binary mode"};
}

struct Directory {
  std::uint64_t offset = 0, size = 0, count = 0;
};

// The record at the archive's end; only a comment may follow it. Returns nothing if there is no
// record, or if it points outside the file.
Result<std::optional<Directory>> find_directory(const FileBytes& bytes) {
  constexpr std::size_t kRecord = 22, kRecord64 = 56, kLocator = 20;
  const std::size_t shown = std::min<std::uint64_t>(bytes.size(), kLocator + kRecord + 65535);
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto tail, bytes.at(bytes.size() - shown, shown, buffer));
  for (std::size_t at = tail.size() < kRecord ? 0 : tail.size() - kRecord + 1; at-- > 0;) {
    if (load<std::uint32_t>(tail, at) != kZipEnd) continue;
    Directory found{load<std::uint32_t>(tail, at + 16), load<std::uint32_t>(tail, at + 12),
                    load<std::uint16_t>(tail, at + 10)};
    if (at >= kLocator && load<std::uint32_t>(tail, at - kLocator) == kZipLocator64) {
      const auto end64 = load<std::uint64_t>(tail, at - 12);
      if (end64 > bytes.size() || bytes.size() - end64 < kRecord64)
        return std::optional<Directory>();
      PACO_ASSIGN(const auto record, bytes.at(end64, kRecord64, buffer));
      if (load<std::uint32_t>(record, 0) != kZipEnd64) return std::optional<Directory>();
      found = {load<std::uint64_t>(record, 48), load<std::uint64_t>(record, 40),
               load<std::uint64_t>(record, 32)};
    }
    if (found.offset > bytes.size() || found.size > bytes.size() - found.offset)
      return std::optional<Directory>();
    return std::optional(found);
  }
  return std::optional<Directory>();
}

// Sizes and offset above 32 bits are in an extra field, each only if the 32-bit field has its
// maximum value.
bool read_extra64(std::span<const std::byte> extra, ZipMember& member, std::uint64_t& offset) {
  while (extra.size() >= 4) {
    const auto id = load<std::uint16_t>(extra, 0);
    const auto length = load<std::uint16_t>(extra, 2);
    if (length > extra.size() - 4) return false;
    if (id == 1) {
      auto field = extra.subspan(4, length);
      for (std::uint64_t* value : {&member.size, &member.packed_size, &offset}) {
        if (*value != kZipMax32) continue;
        if (field.size() < 8) return false;
        *value = load<std::uint64_t>(field, 0);
        field = field.subspan(8);
      }
      return true;
    }
    extra = extra.subspan(4 + length);
  }
  return true;
}

}  // namespace

Result<ZipArchive> ZipArchive::open(FileBytes bytes, const std::string& name) {
  PACO_ASSIGN(const auto directory, find_directory(bytes));
  if (!directory) return damaged_zip(name, "it has no valid list of members at its end");
  if (directory->count > kMaxMembers || directory->size > kMaxDirectoryBytes)
    return damaged_zip(name, "it claims too many members");
  ZipArchive archive;
  archive.name_ = name;
  std::vector<std::byte> list_buffer, buffer;
  PACO_ASSIGN(auto list, bytes.at(directory->offset, directory->size, list_buffer));
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < directory->count; ++i) {
    if (list.size() < 46 || load<std::uint32_t>(list, 0) != kZipCentral)
      return damaged_zip(name, "its list of members is damaged");
    const std::size_t name_length = load<std::uint16_t>(list, 28);
    const std::size_t extra_length = load<std::uint16_t>(list, 30);
    const std::size_t whole = 46 + name_length + extra_length + load<std::uint16_t>(list, 32);
    if (whole > list.size()) return damaged_zip(name, "its list of members is damaged");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(list.data()) + 46, name_length);
    const auto method = load<std::uint16_t>(list, 10);
    member.deflated = method == 8;
    member.crc = load<std::uint32_t>(list, 16);
    member.packed_size = load<std::uint32_t>(list, 20);
    member.size = load<std::uint32_t>(list, 24);
    std::uint64_t offset = load<std::uint32_t>(list, 42);
    if (!read_extra64(list.subspan(46 + name_length, extra_length), member, offset)) {
      return damaged_zip(name, fmt::format("the entry of '{}' is damaged", member.name));
    }
    if (method != 0 && method != 8) {
      return damaged_zip(
          name, fmt::format("'{}' is packed with method {}, only stored and deflate are read",
                            member.name, method));
    }
    if (load<std::uint16_t>(list, 8) & 1)
      return damaged_zip(name, fmt::format("'{}' is encrypted", member.name));
    list = list.subspan(whole);
    constexpr std::size_t kLocalBytes = 30;
    std::span<const std::byte> local;
    if (offset <= bytes.size() && bytes.size() - offset >= kLocalBytes) {
      PACO_ASSIGN(local, bytes.at(offset, kLocalBytes, buffer));
    }
    if (local.empty() || load<std::uint32_t>(local, 0) != kZipLocal)
      return damaged_zip(name, fmt::format("'{}' is not where the list says", member.name));
    member.data_offset =
        offset + kLocalBytes + load<std::uint16_t>(local, 26) + load<std::uint16_t>(local, 28);
    if (member.data_offset > bytes.size() ||
        member.packed_size > bytes.size() - member.data_offset) {
      return damaged_zip(name, fmt::format("'{}' reaches beyond the end of the file", member.name));
    }
    if (member.deflated ? member.size / kMaxRatio > member.packed_size
                        : member.size != member.packed_size) {
      return damaged_zip(name, fmt::format("'{}' claims {} bytes unpacked from {}", member.name,
                                           member.size, member.packed_size));
    }
    if (!seen.insert(member.name).second)
      return damaged_zip(name, fmt::format("'{}' is in it twice", member.name));
    archive.members_.push_back(std::move(member));
  }
  archive.bytes_ = std::move(bytes);
  return archive;
}

ByteStream ZipArchive::stream(const ZipMember& member) const {
  const std::string label = name_ + "#" + member.name;
  auto raw =
      std::make_shared<ByteStream>(bytes_.stream(member.data_offset, member.packed_size, label));
  ByteStream::Refill unpacked = [raw](std::span<std::byte> out) { return raw->read(out); };
  if (member.deflated) unpacked = inflate_raw(raw);
  return ByteStream(label, check_member(std::move(unpacked), label, member.size, member.crc),
                    member.size);
}

}  // namespace paco::io
