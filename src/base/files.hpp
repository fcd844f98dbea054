// The only door to the disk: reading, mapping, listing and atomic writing.
//
// Every operation passes through one counter, so a test can make the n-th one fail
// (FailNthOperation) and prove that nothing is lost and nothing half-written stays. Errors name the
// path and what the system said.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco {

// A whole file in memory; refuses one of more than `limit` bytes.
Result<std::vector<std::byte>> read_file(const std::string& path,
                                         std::uint64_t limit = std::uint64_t{1} << 32);

// A file mapped read-only. Only the pages that are touched need memory.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&&) noexcept;
  MappedFile& operator=(MappedFile&&) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  // Tells the system that the pages of this range are not needed any more.
  void release(std::size_t offset, std::size_t length) const;

 private:
  MappedFile() = default;
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Bytes in order, from a file, or from standard input where the path is "-".
class InputStream {
 public:
  static Result<InputStream> open(const std::string& path);
  InputStream(InputStream&&) noexcept;
  InputStream& operator=(InputStream&&) noexcept;
  ~InputStream();

  // Reads up to buffer.size() bytes; fewer only at the end, 0 after it.
  Result<std::size_t> read(std::span<std::byte> buffer);
  // Reads what is there, waiting only while there is nothing: for a pipe whose writer is slow. A
  // signal (Ctrl-C) that comes while waiting is ErrorCode::interrupted, in both calls.
  Result<std::size_t> read_some(std::span<std::byte> buffer);
  const std::string& name() const { return name_; }  // the path, or "standard input"

 private:
  InputStream() = default;
  std::string name_;
  int descriptor_ = -1;
  bool owned_ = false;
};

// Writes beside the target and puts the file in place only at commit(): temporary file, fsync,
// rename, fsync of the folder. Destroyed without commit, it removes the temporary file; the old
// target is untouched.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  Result<void> write(std::span<const std::byte> bytes);
  Result<void> write(std::string_view text);
  // Overwrites earlier bytes, e.g. a header whose counts are known only at the end.
  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<void> commit();
  const std::string& path() const { return path_; }

 private:
  AtomicFile() = default;
  Result<void> flush();
  std::string path_;       // of the file itself where a link was given
  std::string temporary_;  // empty: the target is no plain file and is written directly
  std::string buffer_;
  int descriptor_ = -1;
};

// One atomic write of a whole file.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);
Result<void> write_file(const std::string& path, std::string_view text);

enum class PathKind { absent, file, folder, other };
PathKind path_kind(const std::string& path);
Result<std::uint64_t> file_size(const std::string& path);
// Names (not paths) in a folder, sorted by bytes.
Result<std::vector<std::string>> list_folder(const std::string& path);
Result<void> make_folder(const std::string& path);  // with its parents; fine if it is there
Result<void> remove_file(const std::string& path);

// While alive, the n-th operation through this door (1 is the next one) fails as a full disk or a
// broken device would.
class FailNthOperation {
 public:
  explicit FailNthOperation(std::uint64_t n);
  ~FailNthOperation();
  FailNthOperation(const FailNthOperation&) = delete;
  FailNthOperation& operator=(const FailNthOperation&) = delete;
  bool happened() const;  // false: fewer than n operations were made
};

}  // namespace paco
