// Zip archives as numpy writes them (npz): stored or deflated members, also beyond 4 GiB.
//
// The reader uses only the list at the archive's end, and checks it against the file. Members are
// unpacked while they are read and may not grow beyond their declared size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/file_bytes.hpp"
#include "paco/result.hpp"

namespace paco::io {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t data_offset = 0;  // of the packed bytes
  std::uint32_t crc = 0;
};

class ZipArchive {
 public:
  static Result<ZipArchive> open(FileBytes bytes, const std::string& name);

  const std::string& name() const { return name_; }
  const std::vector<ZipMember>& members() const { return members_; }
  // The unpacked bytes.
  ByteStream stream(const ZipMember& member) const;

 private:
  std::string name_;
  FileBytes bytes_;
  std::vector<ZipMember> members_;
};

}  // namespace paco::io
