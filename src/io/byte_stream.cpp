#include "io/byte_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/inflate.hpp"

namespace paco::io {
namespace {

// Large enough that the cost of a system call is negligible beside the copy, small enough for the
// second-level cache.
constexpr std::size_t kBuffer = std::size_t{1} << 18;

}  // namespace

Result<ByteStream> ByteStream::open(const std::string& path) {
  PACO_ASSIGN(auto input, core::InputStream::open(path));
  std::optional<std::uint64_t> size;
  if (path != "-" && core::path_kind(path) == core::PathKind::file) {
    PACO_ASSIGN(size, core::file_size(path));
  }
  std::string name = input.name();
  auto shared = std::make_shared<core::InputStream>(std::move(input));
  std::function<bool()> ready;
  if (!shared->is_file()) ready = [shared] { return shared->ready(); };
  // Reads the available bytes and does not wait for a full buffer, so that the samples of a slow
  // pipe are decided as they arrive.
  ByteStream plain(
      name, [shared](std::span<std::byte> out) { return shared->read_some(out); }, size, ready);
  // Reads no more than is necessary to recognise gzip: the first row of a pipe may be shorter than
  // gzip's magic bytes.
  PACO_ASSIGN(auto head, plain.peek(1));
  if (head.empty() || head[0] != kGzipMark[0]) return plain;
  PACO_ASSIGN(head, plain.peek(kGzipMark.size()));
  if (!is_gzip(head)) return plain;
  auto packed = std::make_shared<ByteStream>(std::move(plain));
  if (ready) {
    ready = [packed] {
      const auto some = packed->peek_ready(1);
      return !some.ok() || !some->empty() || packed->ended();
    };
  }
  return ByteStream(name, gunzip(packed), std::nullopt, ready);
}

ByteStream ByteStream::from_bytes(std::span<const std::byte> bytes, std::string name,
                                  std::shared_ptr<const void> owner) {
  std::size_t at = 0;
  return ByteStream(
      std::move(name),
      [bytes, at, owner](std::span<std::byte> out) mutable -> Result<std::size_t> {
        const std::size_t count = std::min(out.size(), bytes.size() - at);
        if (count > 0) std::memcpy(out.data(), bytes.data() + at, count);
        at += count;
        return count;
      },
      bytes.size());
}

ByteStream::ByteStream(std::string name, Refill refill, std::optional<std::uint64_t> size,
                       std::function<bool()> ready)
    : name_(std::move(name)), refill_(std::move(refill)), size_(size), ready_(std::move(ready)) {}

Result<void> ByteStream::fill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  // The buffer grows only as bytes actually arrive: a header that claims a huge size costs nothing.
  const std::size_t step = std::clamp<std::uint64_t>(size_.value_or(kBuffer), 64, kBuffer);
  if (buffer_.size() - end_ < step / 2) buffer_.resize(std::max(step, buffer_.size() * 2));
  PACO_ASSIGN(const std::size_t got, refill_(std::span(buffer_).subspan(end_)));
  ended_ = got == 0;
  end_ += got;
  return {};
}

Result<std::span<const std::byte>> ByteStream::peek(std::size_t count) {
  while (end_ - begin_ < count && !ended_) PACO_TRY(fill());
  return std::span<const std::byte>(buffer_.data() + begin_, end_ - begin_);
}

Result<std::span<const std::byte>> ByteStream::peek_ready(std::size_t count) {
  while (end_ - begin_ < count && !ended_ && (!ready_ || ready_())) PACO_TRY(fill());
  return std::span<const std::byte>(buffer_.data() + begin_, end_ - begin_);
}

Result<std::optional<std::string_view>> ByteStream::peek_line_ready() {
  for (std::size_t searched = 0;;) {
    PACO_ASSIGN(const auto some, peek_ready(searched + 1));
    const std::string_view text(reinterpret_cast<const char*>(some.data()), some.size());
    const std::size_t stop = text.find('\n', searched);
    // A line that is too long is returned too; read_line() reports the error.
    if (stop != text.npos || text.size() > kLongestLine) return std::optional(text.substr(0, stop));
    if (text.size() == searched) {
      return ended_ ? std::optional(text) : std::optional<std::string_view>();
    }
    searched = text.size();
  }
}

void ByteStream::consume(std::size_t count) {
  assert(count <= end_ - begin_);
  begin_ += count;
  position_ += count;
}

Result<std::size_t> ByteStream::read(std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    PACO_ASSIGN(auto ready, peek(1));
    if (ready.empty()) break;
    const std::size_t count = std::min(ready.size(), out.size() - done);
    std::memcpy(out.data() + done, ready.data(), count);
    consume(count);
    done += count;
  }
  return done;
}

Result<bool> ByteStream::read_line(std::string& line, std::size_t limit, LineEnd end) {
  line.clear();
  bool any = false;
  while (true) {
    PACO_ASSIGN(auto ready, peek(1));
    if (ready.empty()) break;
    any = true;
    const auto* text = reinterpret_cast<const char*>(ready.data());
    const auto* stop = static_cast<const char*>(std::memchr(text, '\n', ready.size()));
    const std::size_t count = stop ? static_cast<std::size_t>(stop - text) : ready.size();
    if (line.size() + count > limit) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: a line is longer than {} bytes", name_, limit),
                   "check that this is a text file with one sample a line"};
    }
    line.append(text, count);
    consume(count + (stop ? 1 : 0));
    if (stop) break;
  }
  if (end == LineEnd::drop && !line.empty() && line.back() == '\r') line.pop_back();
  return any;
}

Result<std::vector<std::byte>> ByteStream::read_rest(std::uint64_t limit) {
  std::vector<std::byte> all;
  while (true) {
    PACO_ASSIGN(auto ready, peek(1));
    if (ready.empty()) return all;
    if (all.size() + ready.size() > limit) {
      return Error{
          ErrorCode::out_of_memory,
          fmt::format("{}: more than {} bytes would have to be held in memory", name_, limit),
          "save it as an uncompressed npy file, which is read block by block"};
    }
    all.insert(all.end(), ready.begin(), ready.end());
    consume(ready.size());
  }
}

std::optional<std::uint64_t> ByteStream::left() const {
  if (!size_) return std::nullopt;
  return *size_ > position_ ? *size_ - position_ : 0;
}

}  // namespace paco::io
