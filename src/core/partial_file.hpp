// A result that grows for hours: it is written to NAME.part, which other programs may read, and
// renamed to NAME only when it is complete.
//
// Unlike an AtomicFile it stays after the program ends: after a crash or a requested stop, the
// written data are in NAME.part, and a later run can continue after a length that is known to be
// valid. The old NAME is unchanged until finish(). A second writer of the same NAME gets an error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco::core {

class PartialFile {
 public:
  static std::string partial_name(const std::string& path) { return path + ".part"; }

  // Starts a new file.
  static Result<PartialFile> create(const std::string& path);
  // Continues after the first `length` bytes of an earlier run: in NAME.part, or, if that run had
  // finished, in a copy of NAME.
  static Result<PartialFile> resume(const std::string& path, std::uint64_t length);
  PartialFile(PartialFile&&) noexcept;
  PartialFile& operator=(PartialFile&&) noexcept;
  // Leaves the contents of NAME.part in place.
  ~PartialFile();

  Result<void> write(std::string_view text);
  Result<void> write(std::span<const std::byte> bytes);
  // Overwrites earlier bytes, e.g. a header with counts.
  Result<void> write_at(std::uint64_t offset, std::string_view text);
  // After this call everything written is on the disk.
  Result<void> sync();
  // Gives the file its final name.
  Result<void> finish();
  // Removes NAME.part.
  void discard();

  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  PartialFile() = default;
  Result<void> flush();

  std::string path_;
  std::string buffer_;
  std::uint64_t size_ = 0;  // including the bytes in the buffer
  int descriptor_ = -1;
  bool direct_ = false;  // true: the target is not a plain file (a pipe) and is written directly
};

}  // namespace paco::core
