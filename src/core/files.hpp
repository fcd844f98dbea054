// Files: reading, listing and atomic writing. Journals are the exception: SQLite reads and writes
// them.
//
// Every operation passes through one counter, so a test can make the n-th one fail
// (FailNthOperation) and prove that nothing is lost and nothing half-written stays. Errors name the
// path and what the system said. A signal (Ctrl-C) that comes while waiting for the other end of a
// pipe is ErrorCode::interrupted.
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

// A whole file in memory; refuses one of more than `limit` bytes.
Result<std::vector<std::byte>> read_file(const std::string& path,
                                         std::uint64_t limit = std::uint64_t{1} << 32);

// A plain file that is read at any place. Many threads may read at once.
class RandomFile {
 public:
  static Result<RandomFile> open(const std::string& path);
  RandomFile(RandomFile&&) noexcept;
  RandomFile& operator=(RandomFile&&) noexcept;
  ~RandomFile();

  std::uint64_t size() const { return size_; }  // when it was opened
  // Fills `out`; an error where the file ends before, because somebody cut it short since.
  Result<void> read_at(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  RandomFile() = default;
  std::string path_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
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
  // Whether read_some() would answer at once. A file always does.
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
  // The same, but never over a file that came to be there meanwhile: ErrorCode::io then.
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

// Removes the temporary files of every AtomicFile there is, for a signal handler that ends the
// process at once: it makes only calls that are allowed there. What is being written is lost.
void remove_temporary_files() noexcept;

// One atomic write of a whole file.
Result<void> write_file(const std::string& path, std::span<const std::byte> bytes);
Result<void> write_file(const std::string& path, std::string_view text);

enum class PathKind { absent, file, folder, other };
PathKind path_kind(const std::string& path);
// What tells one folder or file from another, whatever paths and links lead to it.
struct FileIdentity {
  std::uint64_t device = 0, number = 0;
  bool is_link = false;  // the path itself is a link to it
  bool operator<(const FileIdentity& other) const {
    return device != other.device ? device < other.device : number < other.number;
  }
};
Result<FileIdentity> file_identity(const std::string& path);
Result<std::uint64_t> file_size(const std::string& path);
// Names (not paths) in a folder, sorted by bytes.
Result<std::vector<std::string>> list_folder(const std::string& path);
Result<void> make_folder(const std::string& path);  // with its parents; fine if it is there
Result<void> remove_file(const std::string& path);

// While alive, the n-th operation of these functions (1 is the next one) fails as a full disk or a
// broken device would.
class FailNthOperation {
 public:
  explicit FailNthOperation(std::uint64_t n);
  ~FailNthOperation();
  FailNthOperation(const FailNthOperation&) = delete;
  FailNthOperation& operator=(const FailNthOperation&) = delete;
  bool happened() const;  // false: fewer than n operations were made
};

}  // namespace paco::core
