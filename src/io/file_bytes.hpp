// Random access to bytes: of a file, which is read on demand, or in memory.
//
// Files are read and not mapped: if a mapped file is truncated, the program ends, but a read gives
// an error. Copies share the file; many threads may read at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/files.hpp"
#include "io/byte_stream.hpp"
#include "paco/result.hpp"

namespace paco::io {

class FileBytes {
 public:
  // Pipes, standard input ("-") and gzip files are read into memory, up to 4 GiB.
  static Result<FileBytes> open(const std::string& path);
  // Reads the rest of a stream into memory, up to 4 GiB.
  static Result<FileBytes> rest_of(ByteStream& stream);
  // `bytes` must outlive this object.
  static FileBytes of(std::span<const std::byte> bytes);
  static FileBytes of(std::vector<std::byte> bytes);

  FileBytes() = default;  // no bytes
  std::uint64_t size() const { return size_; }
  // The bytes [offset, offset + count), which must be inside. Memory is returned as a view; a file
  // is read into `buffer`.
  Result<std::span<const std::byte>> at(std::uint64_t offset, std::size_t count,
                                        std::vector<std::byte>& buffer) const;
  // The same bytes as a stream; `name` stands for them in error messages.
  ByteStream stream(std::uint64_t offset, std::uint64_t count, std::string name) const;

 private:
  std::shared_ptr<const core::RandomFile> file_;         // null: in memory
  std::shared_ptr<const std::vector<std::byte>> owned_;  // null: the memory of another owner
  std::span<const std::byte> memory_;
  std::uint64_t size_ = 0;
};

}  // namespace paco::io
