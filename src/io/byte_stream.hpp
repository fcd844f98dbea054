// Bytes in order with a look ahead, from a file, standard input, memory or another stream that is
// unpacked on the way.
//
// Every sequential reader of this folder uses a ByteStream, so the same code reads a file, a pipe
// and the member of an archive, and a fuzzer can run it without a disk. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::io {

// Of text, in bytes; a longer one is a sign of the wrong file.
constexpr std::size_t kLongestLine = std::size_t{1} << 28;

// The characters that may surround the values of a line. All text formats skip a line that contains
// nothing else.
constexpr std::string_view kBlanks = " \t\r";
inline bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(kBlanks) == line.npos;
}

// Whether a "\r" before the "\n" is part of the line.
enum class LineEnd { drop, keep_return };

class ByteStream {
 public:
  // Reads up to as many bytes as the buffer holds, and returns their number; 0 at the end.
  using Refill = std::function<Result<std::size_t>(std::span<std::byte>)>;

  // A file, or standard input for "-". A gzip file is unpacked on the way.
  static Result<ByteStream> open(const std::string& path);
  // `bytes` must outlive the stream; `owner` can keep them alive.
  static ByteStream from_bytes(std::span<const std::byte> bytes, std::string name,
                               std::shared_ptr<const void> owner = nullptr);
  // `size`: the total number of bytes, if known. `ready`, for streams that may have to wait for
  // their next bytes, returns whether bytes are available.
  ByteStream(std::string name, Refill refill, std::optional<std::uint64_t> size,
             std::function<bool()> ready = {});

  // At least `count` bytes without consuming them; fewer only at the end. Valid until the next
  // call.
  Result<std::span<const std::byte>> peek(std::size_t count);
  // Same without waiting: the available bytes, `count` or more. There are fewer at the end, or if
  // more have not arrived yet.
  Result<std::span<const std::byte>> peek_ready(std::size_t count);
  // The next line, if it is available without waiting; otherwise nothing. At the end the remaining
  // bytes are a line. Valid until the next call.
  Result<std::optional<std::string_view>> peek_line_ready();
  // Drops bytes that peek() has returned.
  void consume(std::size_t count);
  // Copies up to out.size() bytes; fewer only at the end.
  Result<std::size_t> read(std::span<std::byte> out);
  // The next line without its "\n" or "\r\n"; false at the end. A line longer than `limit` is an
  // error.
  Result<bool> read_line(std::string& line, std::size_t limit = kLongestLine,
                         LineEnd end = LineEnd::drop);
  // All remaining bytes; more than `limit` bytes are an error.
  Result<std::vector<std::byte>> read_rest(std::uint64_t limit);

  const std::string& name() const { return name_; }
  bool ended() const { return ended_ && begin_ == end_; }  // known to have no more bytes
  // True if reading may have to wait for the next bytes: a pipe, not a file.
  bool may_wait() const { return static_cast<bool>(ready_); }
  std::uint64_t position() const { return position_; }  // bytes consumed
  std::optional<std::uint64_t> size() const { return size_; }
  // The number of remaining bytes, if the size is known.
  std::optional<std::uint64_t> left() const;

 private:
  std::string name_;
  // Makes room in the buffer, and reads into it with one call of refill_.
  Result<void> fill();

  Refill refill_;
  std::optional<std::uint64_t> size_;
  std::function<bool()> ready_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;  // the unread part of buffer_ is [begin_, end_)
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;
  bool ended_ = false;
};

}  // namespace paco::io
