#include "io/npz_writer.hpp"

#include <zlib.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/npy.hpp"
#include "io/zip_format.hpp"

namespace paco::io {
void NpzWriter::add(const std::string& name, ElementType type, std::span<const std::uint64_t> shape,
                    std::span<const std::byte> bytes) {
  members_.push_back({name + ".npy", npy_header(type, shape), bytes});
}

Result<void> NpzWriter::write(const std::string& path) const {
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  const auto put = [](std::string& out, auto value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  std::string directory;
  std::uint64_t offset = 0;
  for (const Member& member : members_) {
    const std::uint64_t size = member.header.size() + member.bytes.size();
    uLong sum =
        crc32_z(0, reinterpret_cast<const Bytef*>(member.header.data()), member.header.size());
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(member.bytes.data()), member.bytes.size());
    const auto crc = static_cast<std::uint32_t>(sum);
    // Sizes and offset are always in the 64-bit extra field, so there is one layout for every size.
    std::string common;  // from "version needed" to the two lengths; shared by both headers
    put(common, std::uint16_t{45});
    put(common, std::uint16_t{0});
    put(common, std::uint16_t{0});
    put(common, std::uint32_t{0x00210000});  // 1 January 1980, the same on every run
    put(common, crc);
    put(common, kZipMax32);
    put(common, kZipMax32);
    put(common, static_cast<std::uint16_t>(member.name.size()));
    std::string local;
    put(local, kZipLocal);
    local += common;
    put(local, std::uint16_t{20});
    local += member.name;
    put(local, std::uint16_t{1});
    put(local, std::uint16_t{16});
    put(local, size);
    put(local, size);
    PACO_TRY(file.write(local));
    PACO_TRY(file.write(member.header));
    PACO_TRY(file.write(member.bytes));
    put(directory, kZipCentral);
    put(directory, std::uint16_t{45});
    directory += common;
    put(directory, std::uint16_t{28});
    put(directory, std::uint16_t{0});
    put(directory, std::uint16_t{0});
    put(directory, std::uint16_t{0});
    put(directory, std::uint32_t{0});
    put(directory, kZipMax32);
    directory += member.name;
    put(directory, std::uint16_t{1});
    put(directory, std::uint16_t{24});
    put(directory, size);
    put(directory, size);
    put(directory, offset);
    offset += local.size() + size;
  }
  const std::uint64_t directory_offset = offset, count = members_.size();
  std::string end;
  put(end, kZipEnd64);
  put(end, std::uint64_t{44});
  put(end, std::uint16_t{45});
  put(end, std::uint16_t{45});
  put(end, std::uint32_t{0});
  put(end, std::uint32_t{0});
  put(end, count);
  put(end, count);
  put(end, static_cast<std::uint64_t>(directory.size()));
  put(end, directory_offset);
  put(end, kZipLocator64);
  put(end, std::uint32_t{0});
  put(end, directory_offset + directory.size());
  put(end, std::uint32_t{1});
  put(end, kZipEnd);
  put(end, std::uint32_t{0});
  put(end, static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xffff)));
  put(end, static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 0xffff)));
  put(end, static_cast<std::uint32_t>(std::min<std::uint64_t>(directory.size(), kZipMax32)));
  put(end, static_cast<std::uint32_t>(std::min<std::uint64_t>(directory_offset, kZipMax32)));
  put(end, std::uint16_t{0});
  PACO_TRY(file.write(directory));
  PACO_TRY(file.write(end));
  return file.commit();
}

}  // namespace paco::io
