// A result that grows for hours: written to NAME.part, which anybody may look at, and put in place
// of NAME only when it is whole.
//
// Unlike an AtomicFile it survives the program: after a crash, or a stop that somebody asked for,
// what was written stays in NAME.part, and a later run can go on from a length that it knows to be
// whole. The old NAME is untouched until finish(). A second writer of the same NAME is refused.
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

  // Starts anew.
  static Result<PartialFile> create(const std::string& path);
  // Goes on after the first `length` bytes of what an earlier run left: in NAME.part, or in NAME
  // where that run had finished, which is then copied.
  static Result<PartialFile> resume(const std::string& path, std::uint64_t length);
  PartialFile(PartialFile&&) noexcept;
  PartialFile& operator=(PartialFile&&) noexcept;
  // What is in NAME.part stays there.
  ~PartialFile();

  Result<void> write(std::string_view text);
  Result<void> write(std::span<const std::byte> bytes);
  // Overwrites earlier bytes, e.g. a header with counts.
  Result<void> write_at(std::uint64_t offset, std::string_view text);
  // Everything written is on the disk.
  Result<void> sync();
  // The file takes its name.
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
  std::uint64_t size_ = 0;  // with what is in the buffer
  int descriptor_ = -1;
  bool direct_ = false;  // the target is no plain file (a pipe) and is written directly
};

}  // namespace paco::core
