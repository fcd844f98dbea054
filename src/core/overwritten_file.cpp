#include "core/overwritten_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "core/file_operation.hpp"

namespace paco::core {

using files::counted;
using files::system_error;

Result<OverwrittenFile> OverwrittenFile::open(const std::string& path) {
  OverwrittenFile file;
  file.path_ = path;
  file.descriptor_ =
      counted([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666); });
  if (file.descriptor_ < 0) return system_error(path, "make");
  return file;
}

OverwrittenFile::OverwrittenFile(OverwrittenFile&& other) noexcept { *this = std::move(other); }

OverwrittenFile& OverwrittenFile::operator=(OverwrittenFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OverwrittenFile::~OverwrittenFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> OverwrittenFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = counted([&] {
      return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (written < 0) return system_error(path_, "write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<void> OverwrittenFile::sync() {
  if (counted([&] { return ::fdatasync(descriptor_); }) != 0) return system_error(path_, "sync");
  return {};
}

}  // namespace paco::core
