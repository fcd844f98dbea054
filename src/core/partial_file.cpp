#include "core/partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/file_operation.hpp"
#include "core/files.hpp"
#include "core/try.hpp"

namespace paco::core {
namespace {

using files::counted;
using files::follow_links;
using files::system_error;

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

// Renames within a folder, and syncs the folder to the disk.
Result<void> move_into_place(const std::string& from, const std::string& to) {
  if (counted([&] { return ::rename(from.c_str(), to.c_str()); }) != 0)
    return system_error(to, "put in place");
  const std::size_t slash = to.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : to.substr(0, slash + 1);
  const int descriptor =
      counted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return system_error(folder, "open");
  const bool synced = counted([&] { return ::fsync(descriptor); }) == 0 || errno == EINVAL;
  const int cause = errno;
  ::close(descriptor);
  if (!synced) return system_error(to, "make sure that it lasts", cause);
  return {};
}

// Opens NAME.part for this writer alone, because two writers of the same result would mix up their
// bytes; `path` is the name that the user gave. If another writer finishes between open and lock,
// the opened file already has its final name: it is closed unchanged, and NAME.part is opened
// again. A file system without locks gives no protection.
Result<int> open_alone(const std::string& name, int flags, const std::string& path) {
  for (;;) {
    const int descriptor = counted([&] { return ::open(name.c_str(), flags | O_CLOEXEC, 0666); });
    if (descriptor < 0) return system_error(path, "write");
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor);
      return Error{ErrorCode::io, path + ": somebody else is writing it",
                   "wait until that run has ended, or give another name"};
    }
    struct stat opened {};
    struct stat named {};
    if (::fstat(descriptor, &opened) == 0 && ::stat(name.c_str(), &named) == 0 &&
        opened.st_ino == named.st_ino && opened.st_dev == named.st_dev) {
      return descriptor;
    }
    ::close(descriptor);
  }
}

}  // namespace

Result<PartialFile> PartialFile::create(const std::string& path) {
  PartialFile file;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return system_error(path, "write", EISDIR);
  file.direct_ = exists && !S_ISREG(status.st_mode);
  file.path_ = file.direct_ ? path : follow_links(path);
  if (file.direct_) {
    file.descriptor_ = counted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); });
    if (file.descriptor_ < 0) return system_error(path, "write");
    return file;
  }
  PACO_ASSIGN(file.descriptor_, open_alone(partial_name(file.path_), O_RDWR | O_CREAT, path));
  if (counted([&] { return ::ftruncate(file.descriptor_, 0); }) != 0)
    return system_error(path, "write");
  // A replaced file keeps its permissions. If the system refuses to set them, the new file keeps
  // its own.
  if (exists && ::fchmod(file.descriptor_, status.st_mode & 07777) != 0) errno = 0;
  return file;
}

Result<PartialFile> PartialFile::resume(const std::string& path, std::uint64_t length) {
  PartialFile file;
  file.path_ = follow_links(path);
  const std::string name = partial_name(file.path_);
  const auto long_enough = [&](const std::string& candidate) -> Result<bool> {
    if (path_kind(candidate) != PathKind::file) return false;
    PACO_ASSIGN(const std::uint64_t size, file_size(candidate));
    return size >= length;
  };
  PACO_ASSIGN(const bool unfinished, long_enough(name));
  if (unfinished) {
    PACO_ASSIGN(file.descriptor_, open_alone(name, O_RDWR, path));
    const auto end = static_cast<off_t>(length);
    if (counted([&] { return ::ftruncate(file.descriptor_, end); }) != 0 ||
        ::lseek(file.descriptor_, end, SEEK_SET) != end) {
      return system_error(name, "write");
    }
    file.size_ = length;
    return file;
  }
  PACO_ASSIGN(const bool finished, long_enough(path));
  if (!finished) {
    return Error{
        ErrorCode::mismatch,
        fmt::format("{}: the {} bytes that the state knows of are not there", path, length),
        "give the file that was written together with the state, or another name"};
  }
  PACO_ASSIGN(InputStream old, InputStream::open(path));
  PACO_ASSIGN(file, create(path));
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t left = length; left > 0;) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size()));
    PACO_ASSIGN(const std::size_t got, old.read(std::span(piece).first(wanted)));
    PACO_TRY(file.write(std::span<const std::byte>(piece).first(got)));
    left -= std::max<std::size_t>(got, 1);
  }
  return file;
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : path_(std::move(other.path_)),
      buffer_(std::exchange(other.buffer_, {})),
      size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      direct_(other.direct_) {}

PartialFile& PartialFile::operator=(PartialFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(buffer_, other.buffer_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(direct_, other.direct_);
  return *this;
}

PartialFile::~PartialFile() {
  if (descriptor_ < 0) return;
  const Result<void> kept = flush();  // as much as fits on the disk
  static_cast<void>(kept);
  ::close(descriptor_);
}

Result<void> PartialFile::flush() {
  const char* data = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = counted([&] { return ::write(descriptor_, data, left); });
    if (written < 0) {
      buffer_.erase(0, buffer_.size() - left);
      return system_error(path_, "write");
    }
    data += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
  return {};
}

Result<void> PartialFile::write(std::string_view text) {
  buffer_.append(text);
  size_ += text.size();
  return buffer_.size() < kPieceBytes ? Result<void>() : flush();
}

Result<void> PartialFile::write(std::span<const std::byte> bytes) {
  return write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<void> PartialFile::write_at(std::uint64_t offset, std::string_view text) {
  PACO_TRY(flush());
  if (direct_) return {};
  while (!text.empty()) {
    const ssize_t written = counted([&] {
      return ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset));
    });
    if (written < 0) return system_error(path_, "write");
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<void> PartialFile::sync() {
  PACO_TRY(flush());
  if (direct_) return {};
  if (counted([&] { return ::fdatasync(descriptor_); }) != 0) return system_error(path_, "write");
  return {};
}

Result<void> PartialFile::finish() {
  PACO_TRY(sync());
  ::close(std::exchange(descriptor_, -1));
  if (direct_) return {};
  return move_into_place(partial_name(path_), path_);
}

void PartialFile::discard() {
  if (descriptor_ < 0) return;
  buffer_.clear();
  ::close(std::exchange(descriptor_, -1));
  if (!direct_) ::unlink(partial_name(path_).c_str());
}

}  // namespace paco::core
