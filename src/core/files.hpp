// Files: reading, listing and atomic writing. Journals are the exception: SQLite reads and writes
// them.
//
// One counter counts every operation, so a test can make the n-th one fail (FailNthOperation) and
// check that nothing is lost and no half-written file stays. Errors contain the path and the
// message of the system. A signal (Ctrl-C) while waiting for the other end of a pipe gives
// ErrorCode::interrupted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::core {

// Reads a whole file into memory; a file of more than `limit` bytes is an error.
Result<std::vector<std::byte>> read_file(const std::string& path,
                                         std::uint64_t limit = std::uint64_t{1} << 32);

// A plain file with reads at any offset. Many threads may read at once.
class RandomFile {
 public:
  static Result<RandomFile> open(const std::string& path);
  RandomFile(RandomFile&&) noexcept;
  RandomFile& operator=(RandomFile&&) noexcept;
  ~RandomFile();

  std::uint64_t size() const { return size_; }  // when it was opened
  // Fills `out` completely. It is an error if the file ends earlier, for example because it was
  // truncated after it was opened.
  Result<void> read_at(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  RandomFile() = default;
  std::string path_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

// Bytes in order, from a file, or from standard input if the path is "-".
class InputStream {
 public:
  static Result<InputStream> open(const std::string& path);
  InputStream(InputStream&&) noexcept;
  InputStream& operator=(InputStream&&) noexcept;
  ~InputStream();

  // Reads up to buffer.size() bytes; fewer only at the end, 0 after it.
  Result<std::size_t> read(std::span<std::byte> buffer);
  // Reads the bytes that are available, and waits only if there are none: for a pipe with a slow
  // writer. In both calls, a signal (Ctrl-C) while waiting gives ErrorCode::interrupted.
  Result<std::size_t> read_some(std::span<std::byte> buffer);
  // True if read_some() would return at once. Always true for a file.
  bool ready() const;
  bool is_file() const { return is_file_; }          // a plain one, also behind standard input
  const std::string& name() const { return name_; }  // the path, or "standard input"

 private:
  InputStream() = default;
  std::string name_;
  int descriptor_ = -1;
  bool owned_ = false;
  bool is_file_ = false;
};

// Writes to a temporary file beside the target. Only commit() puts it in place: fsync, rename,
// fsync of the folder. Without commit(), the destructor removes the temporary file, and the old
// target is unchanged.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  Result<void> write(std::span<const std::byte> bytes);
  Result<void> write(std::string_view text);
  // Overwrites earlier bytes, e.g. a header with counts that are known only at the end.
  Result<void> write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  Result<void> commit();
  // Same as commit(), but never replaces a file that was created meanwhile: that is ErrorCode::io.
  Result<void> commit_new();
  const std::string& path() const { return path_; }

 private:
  AtomicFile() = default;
  Result<void> flush();
  Result<void> put_in_place(unsigned rename_flags);
  std::string path_;       // of the file itself where a link was given
  std::string temporary_;  // empty: the target is no plain file and is written directly
  std::string buffer_;
  int descriptor_ = -1;
};

// Removes the temporary files of all existing AtomicFiles. For a signal handler that ends the
// process at once: it makes only calls that are allowed in a handler. Data that are being written
// are lost.
void remove_temporary_files() noexcept;

// One atomic write of a whole file.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);
Result<void> write_file(const std::string& path, std::string_view text);

enum class PathKind { absent, file, folder, other };
PathKind path_kind(const std::string& path);
// Identifies a folder or file, independent of the path and the links that lead to it.
struct FileIdentity {
  std::uint64_t device = 0, number = 0;
  bool is_link = false;  // the path itself is a link to it
  bool operator<(const FileIdentity& other) const {
    return device != other.device ? device < other.device : number < other.number;
  }
};
Result<FileIdentity> file_identity(const std::string& path);
Result<std::uint64_t> file_size(const std::string& path);
// The names (not paths) of the entries of a folder, sorted by bytes.
Result<std::vector<std::string>> list_folder(const std::string& path);
Result<void> make_folder(const std::string& path);  // with its parents; fine if it is there
Result<void> remove_file(const std::string& path);

// As long as this object exists, the n-th operation of these functions (1 is the next one) fails,
// as on a full disk or a broken device.
class FailNthOperation {
 public:
  explicit FailNthOperation(std::uint64_t n);
  ~FailNthOperation();
  FailNthOperation(const FailNthOperation&) = delete;
  FailNthOperation& operator=(const FailNthOperation&) = delete;
  bool happened() const;  // false: fewer than n operations were made
};

}  // namespace paco::core
