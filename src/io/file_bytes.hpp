// Bytes at any place: of a file, read when they are asked for, or in memory.
//
// Files are read and not mapped: a mapped file that somebody cuts short ends the program, one that
// is read gives an error. Copies share the file; many threads may read at once.
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
  // What is left of a stream, read into memory, up to 4 GiB.
  static Result<FileBytes> rest_of(ByteStream& stream);
  // `bytes` must outlive this object.
  static FileBytes of(std::span<const std::byte> bytes);
  static FileBytes of(std::vector<std::byte> bytes);

  FileBytes() = default;  // no bytes
  std::uint64_t size() const { return size_; }
  // Bytes [offset, offset + count), which lie inside. Memory is shown where it lies, a file is read
  // into `buffer`.
  Result<std::span<const std::byte>> at(std::uint64_t offset, std::size_t count,
                                        std::vector<std::byte>& buffer) const;
  // The same bytes in order; `name` stands for them in error texts.
  ByteStream stream(std::uint64_t offset, std::uint64_t count, std::string name) const;

 private:
  std::shared_ptr<const core::RandomFile> file_;         // null: in memory
  std::shared_ptr<const std::vector<std::byte>> owned_;  // null: somebody else's memory
  std::span<const std::byte> memory_;
  std::uint64_t size_ = 0;
};

}  // namespace paco::io
