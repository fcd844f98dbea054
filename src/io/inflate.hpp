// Streaming decompression of deflate data: gzip files and the members of zip archives.
//
// Data are unpacked only as the reader consumes them, so a file that unpacks to far more than its
// own size uses no extra memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/byte_stream.hpp"

namespace paco::io {

// The first bytes of every gzip file: its magic bytes, and deflate, the only compression method.
constexpr std::array<std::byte, 3> kGzipMark = {std::byte{0x1f}, std::byte{0x8b}, std::byte{8}};
inline bool is_gzip(std::span<const std::byte> head) {
  return head.size() >= kGzipMark.size() &&
         std::equal(kGzipMark.begin(), kGzipMark.end(), head.begin());
}

// All members of a gzip file, one after the other; zlib checks their sums.
ByteStream::Refill gunzip(std::shared_ptr<ByteStream> packed);

// One raw deflate run, as zip archives hold it.
ByteStream::Refill inflate_raw(std::shared_ptr<ByteStream> packed);

// Passes bytes through and checks that there are exactly `size` of them with this CRC-32; the CRC
// is checked at the end.
ByteStream::Refill check_member(ByteStream::Refill bytes, std::string name, std::uint64_t size,
                                std::uint32_t crc);

}  // namespace paco::io
