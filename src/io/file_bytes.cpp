#include "io/file_bytes.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "core/try.hpp"
#include "io/inflate.hpp"

namespace paco::io {
namespace {

constexpr std::uint64_t kMemoryLimit = std::uint64_t{1} << 32;

}  // namespace

Result<FileBytes> FileBytes::open(const std::string& path) {
  if (path == "-" || core::path_kind(path) == core::PathKind::other) {
    PACO_ASSIGN(auto stream, ByteStream::open(path));
    return rest_of(stream);
  }
  PACO_ASSIGN(auto file, core::RandomFile::open(path));
  std::byte head[3];
  const std::size_t shown = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), 3));
  PACO_TRY(file.read_at(0, std::span(head).first(shown)));
  if (is_gzip(std::span(head).first(shown))) {
    PACO_ASSIGN(auto stream, ByteStream::open(path));
    return rest_of(stream);
  }
  FileBytes bytes;
  bytes.size_ = file.size();
  bytes.file_ = std::make_shared<const core::RandomFile>(std::move(file));
  return bytes;
}

Result<FileBytes> FileBytes::rest_of(ByteStream& stream) {
  PACO_ASSIGN(auto bytes, stream.read_rest(kMemoryLimit));
  return of(std::move(bytes));
}

FileBytes FileBytes::of(std::span<const std::byte> bytes) {
  FileBytes result;
  result.memory_ = bytes;
  result.size_ = bytes.size();
  return result;
}

FileBytes FileBytes::of(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  FileBytes result = of(std::span<const std::byte>(*owner));
  result.owned_ = std::move(owner);
  return result;
}

Result<std::span<const std::byte>> FileBytes::at(std::uint64_t offset, std::size_t count,
                                                 std::vector<std::byte>& buffer) const {
  assert(offset <= size_ && count <= size_ - offset);
  if (!file_) return memory_.subspan(offset, count);
  buffer.resize(count);
  PACO_TRY(file_->read_at(offset, buffer));
  return std::span<const std::byte>(buffer);
}

ByteStream FileBytes::stream(std::uint64_t offset, std::uint64_t count, std::string name) const {
  assert(offset <= size_ && count <= size_ - offset);
  return ByteStream(
      std::move(name),
      [bytes = *this, at = offset,
       end = offset + count](std::span<std::byte> out) mutable -> Result<std::size_t> {
        const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), end - at));
        if (step == 0) return step;
        if (bytes.file_) {
          PACO_TRY(bytes.file_->read_at(at, out.first(step)));
        } else {
          std::memcpy(out.data(), bytes.memory_.data() + at, step);
        }
        at += step;
        return step;
      },
      count);
}

}  // namespace paco::io
