// Reading: whole files, parts of files, streams, folders. Writing is in atomic_file.cpp.
#include "core/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "core/file_operation.hpp"
#include "core/try.hpp"

namespace paco::core {
namespace {

constexpr int kPipeBytes = 1 << 20;  // the most that Linux allows without privileges

using files::counted;
using files::system_error;

// Closes a descriptor at the end of a scope.
struct Closer {
  int descriptor;
  ~Closer() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

Result<int> open_for_reading(const std::string& path) {
  const int descriptor =
      files::counted_wait(path, [&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0) return system_error(path, "open");
  return descriptor;
}

Result<struct stat> describe(const std::string& path, int descriptor) {
  struct stat status {};
  if (counted([&] { return ::fstat(descriptor, &status); }) != 0) return system_error(path, "read");
  if (S_ISDIR(status.st_mode)) return system_error(path, "read", EISDIR);
  return status;
}

Error too_large(const std::string& path, std::uint64_t limit) {
  return Error{
      ErrorCode::unsupported,
      fmt::format("{}: more than {} bytes, the most that is read into memory at once", path, limit),
      "split the file, or use a format that is read in blocks (npy, safetensors)"};
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path, std::uint64_t limit) {
  PACO_ASSIGN(const int descriptor, open_for_reading(path));
  const Closer closer{descriptor};
  PACO_ASSIGN(const struct stat status, describe(path, descriptor));
  const auto expected = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  if (S_ISREG(status.st_mode) && expected > limit) return too_large(path, limit);

  // The size is only a first guess: for pipes it is not known, and files in /proc report 0.
  std::vector<std::byte> bytes;
  try {
    bytes.resize(expected + 1);
    std::size_t filled = 0;
    for (;;) {
      const ssize_t got = files::counted_wait(
          path, [&] { return ::read(descriptor, bytes.data() + filled, bytes.size() - filled); });
      if (got < 0) return system_error(path, "read");
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
      if (filled > limit) return too_large(path, limit);
      if (filled == bytes.size())
        bytes.resize(bytes.size() + std::max(bytes.size() / 2, std::size_t{65536}));
    }
    bytes.resize(filled);
  } catch (const std::bad_alloc&) {
    return system_error(path, "read", ENOMEM);
  }
  return bytes;
}

Result<RandomFile> RandomFile::open(const std::string& path) {
  RandomFile file;
  PACO_ASSIGN(file.descriptor_, open_for_reading(path));
  file.path_ = path;
  PACO_ASSIGN(const struct stat status, describe(path, file.descriptor_));
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{}: not a plain file, cannot be read at any place", path),
                 "copy it to a plain file first"};
  }
  file.size_ = static_cast<std::uint64_t>(status.st_size);
  return file;
}

RandomFile::RandomFile(RandomFile&& other) noexcept
    : path_(std::move(other.path_)),
      size_(std::exchange(other.size_, 0)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

RandomFile& RandomFile::operator=(RandomFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RandomFile::~RandomFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> RandomFile::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = counted(
        [&] { return ::pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset)); });
    if (got < 0) return system_error(path_, "read");
    if (got == 0) {
      return Error{ErrorCode::io,
                   fmt::format("{}: became shorter while it was read: nothing is at byte {} of {}",
                               path_, offset, size_),
                   "write a new version beside it and rename it into place"};
    }
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<InputStream> InputStream::open(const std::string& path) {
  InputStream stream;
  if (path == "-") {
    stream.name_ = "standard input";
    stream.descriptor_ = STDIN_FILENO;
    struct stat status {};
    const bool known = ::fstat(STDIN_FILENO, &status) == 0;
    stream.is_file_ = known && S_ISREG(status.st_mode);
    // A larger pipe buffer: the writer waits less often, and one read returns more rows. If the
    // system refuses, the default size stays.
    if (known && S_ISFIFO(status.st_mode)) ::fcntl(STDIN_FILENO, F_SETPIPE_SZ, kPipeBytes);
    return stream;
  }
  PACO_ASSIGN(stream.descriptor_, open_for_reading(path));
  stream.owned_ = true;
  stream.name_ = path;
  PACO_ASSIGN(const struct stat status, describe(path, stream.descriptor_));
  stream.is_file_ = S_ISREG(status.st_mode);
  return stream;
}

InputStream::InputStream(InputStream&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      owned_(std::exchange(other.owned_, false)),
      is_file_(other.is_file_) {}

InputStream& InputStream::operator=(InputStream&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(owned_, other.owned_);
  std::swap(is_file_, other.is_file_);
  return *this;
}

InputStream::~InputStream() {
  if (owned_ && descriptor_ >= 0) ::close(descriptor_);
}

Result<std::size_t> InputStream::read_some(std::span<std::byte> buffer) {
  if (buffer.empty()) return std::size_t{0};
  // Not `counted`, which repeats the call after a signal: a signal here is Ctrl-C while waiting on
  // a quiet pipe, and must end the read.
  const ssize_t got =
      files::operation_allowed() ? ::read(descriptor_, buffer.data(), buffer.size()) : -1;
  if (got >= 0) return static_cast<std::size_t>(got);
  if (errno == EINTR) {
    return Error{ErrorCode::interrupted, fmt::format("interrupted while reading {}", name_), ""};
  }
  return system_error(name_, "read");
}

bool InputStream::ready() const {
  // After any result of poll(), including an error or the end, read_some() returns at once.
  pollfd waiting{descriptor_, POLLIN, 0};
  return is_file_ || ::poll(&waiting, 1, 0) != 0;
}

Result<std::size_t> InputStream::read(std::span<std::byte> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    PACO_ASSIGN(const std::size_t got, read_some(buffer.subspan(filled)));
    if (got == 0) break;
    filled += got;
  }
  return filled;
}

PathKind path_kind(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return PathKind::absent;
  if (S_ISREG(status.st_mode)) return PathKind::file;
  return S_ISDIR(status.st_mode) ? PathKind::folder : PathKind::other;
}

Result<FileIdentity> file_identity(const std::string& path) {
  struct stat status {
  }, link{};
  if (counted([&] { return ::stat(path.c_str(), &status); }) != 0)
    return system_error(path, "read");
  const bool is_link = ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  return FileIdentity{status.st_dev, status.st_ino, is_link};
}

Result<std::uint64_t> file_size(const std::string& path) {
  struct stat status {};
  if (counted([&] { return ::stat(path.c_str(), &status); }) != 0)
    return system_error(path, "read");
  if (S_ISDIR(status.st_mode)) return system_error(path, "read", EISDIR);
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::vector<std::string>> list_folder(const std::string& path) {
  DIR* folder = files::operation_allowed() ? ::opendir(path.c_str()) : nullptr;
  if (folder == nullptr) return system_error(path, "list");
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int cause = errno;
  ::closedir(folder);
  if (cause != 0) return system_error(path, "list", cause);
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> make_folder(const std::string& path) {
  // Creates every prefix of the path in turn, so that parents exist before their children.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    const int answer = counted([&] { return ::mkdir(part.c_str(), 0777); });
    if (answer != 0) {
      const int cause = errno;
      if (path_kind(part) != PathKind::folder) {
        return system_error(part, "make the folder", cause == EEXIST ? ENOTDIR : cause);
      }
      if (cause == EIO) return system_error(part, "make the folder", cause);
    }
    if (end == std::string::npos) return {};
  }
}

Result<void> remove_file(const std::string& path) {
  if (counted([&] { return ::unlink(path.c_str()); }) != 0) return system_error(path, "remove");
  return {};
}

}  // namespace paco::core
