// Atomic writing: all bytes go to a temporary file beside the target, and one rename puts it in
// place.
//
// A target that is not a plain file (a pipe, /dev/null) is written directly, because there is
// nothing to replace.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "core/file_operation.hpp"
#include "core/files.hpp"
#include "core/temporary_names.hpp"
#include "core/try.hpp"

namespace paco::core {
namespace {

using files::counted;
using files::follow_links;
using files::system_error;

constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A hidden name in the target's folder, at most NAME_MAX bytes long.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  const std::size_t slash = path.rfind('/');
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  const std::string ending = fmt::format(".{}-{}.tmp", ::getpid(), ++count);
  return fmt::format("{}.{}{}", path.substr(0, start),
                     path.substr(start, NAME_MAX - 1 - ending.size()), ending);
}

Result<void> write_all(const std::string& path, int descriptor, const char* data,
                       std::size_t size) {
  while (size > 0) {
    const ssize_t written = counted([&] { return ::write(descriptor, data, size); });
    if (written < 0) return system_error(path, "write");
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return {};
}

// Not repeated after a signal: the descriptor is closed in any case.
bool close_counted(int& descriptor) {
  if (!files::operation_allowed()) return false;
  return ::close(std::exchange(descriptor, -1)) == 0 || errno == EINTR;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  AtomicFile file;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return system_error(path, "write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    file.path_ = path;
    file.descriptor_ =
        files::counted_wait(path, [&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); });
    if (file.descriptor_ < 0) return system_error(path, "write");
    return file;
  }
  file.path_ = exists ? follow_links(path) : path;
  const std::string temporary = temporary_name(file.path_);
  files::note_temporary(temporary);
  file.descriptor_ = counted(
      [&] { return ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  if (file.descriptor_ < 0) {
    const Error error = system_error(path, "write");
    files::forget_temporary(temporary);
    return error;
  }
  file.temporary_ = temporary;
  // A replaced file keeps its permissions. If the system refuses to set them, the new file keeps
  // its own.
  if (exists && ::fchmod(file.descriptor_, status.st_mode & 07777) != 0) errno = 0;
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::exchange(other.buffer_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(temporary_, other.temporary_);
  std::swap(buffer_, other.buffer_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  // Not counted: the cleanup must work even after a test has made an operation fail.
  ::unlink(temporary_.c_str());
  files::forget_temporary(temporary_);
}

Result<void> AtomicFile::flush() {
  PACO_TRY(write_all(path_, descriptor_, buffer_.data(), buffer_.size()));
  buffer_.clear();
  return {};
}

Result<void> AtomicFile::write(std::string_view text) {
  if (buffer_.size() + text.size() <= kBufferBytes) {
    buffer_.append(text);
    return {};
  }
  PACO_TRY(flush());
  if (text.size() >= kBufferBytes) return write_all(path_, descriptor_, text.data(), text.size());
  buffer_.append(text);
  return {};
}

Result<void> AtomicFile::write(std::span<const std::byte> bytes) { return write(as_text(bytes)); }

Result<void> AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  PACO_TRY(flush());
  while (!bytes.empty()) {
    const ssize_t written = counted([&] {
      return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (written < 0) return system_error(path_, "write");
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> AtomicFile::commit() { return put_in_place(0); }

Result<void> AtomicFile::commit_new() { return put_in_place(RENAME_NOREPLACE); }

Result<void> AtomicFile::put_in_place(unsigned rename_flags) {
  PACO_TRY(flush());
  if (temporary_.empty()) {
    if (!close_counted(descriptor_)) return system_error(path_, "write");
    return {};
  }
  if (counted([&] { return ::fsync(descriptor_); }) != 0) return system_error(path_, "write");
  if (!close_counted(descriptor_)) return system_error(path_, "write");
  // Opened before the rename, so that after the rename only the fsync of the folder can still fail.
  const std::string folder = folder_of(path_);
  const int descriptor =
      counted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return system_error(folder, "open");
  const auto rename = [&](unsigned flags) {
    return counted([&] {
             return ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), flags);
           }) == 0;
  };
  // Some file systems do not support a conditional rename; for them the plain rename is used.
  const bool renamed = rename(rename_flags) || (rename_flags != 0 && errno == EINVAL && rename(0));
  if (!renamed) {
    const Error error = system_error(path_, "put in place");
    ::close(descriptor);
    return error;
  }
  files::forget_temporary(temporary_);
  temporary_.clear();
  const bool synced = counted([&] { return ::fsync(descriptor); }) == 0 || errno == EINVAL;
  const int cause = errno;
  ::close(descriptor);
  if (!synced) return system_error(path_, "make sure that it lasts", cause);
  return {};
}

Result<void> write_file(const std::string& path, std::span<const std::byte> bytes) {
  return write_file(path, as_text(bytes));
}

Result<void> write_file(const std::string& path, std::string_view text) {
  PACO_ASSIGN(AtomicFile file, AtomicFile::create(path));
  PACO_TRY(file.write(text));
  return file.commit();
}

}  // namespace paco::core
