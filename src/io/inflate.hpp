// Unpacking of deflate data on the way through: gzip files and the members of zip archives.
//
// Nothing is unpacked ahead of the reader, so a file that unpacks to far more than it holds costs
// no memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/byte_stream.hpp"

namespace paco::io {

// The first bytes of every gzip file: its mark, and deflate as the only method there is.
constexpr std::array<std::byte, 3> kGzipMark = {std::byte{0x1f}, std::byte{0x8b}, std::byte{8}};
inline bool is_gzip(std::span<const std::byte> head) {
  return head.size() >= kGzipMark.size() &&
         std::equal(kGzipMark.begin(), kGzipMark.end(), head.begin());
}

// All members of a gzip file, one after the other; zlib checks their sums.
ByteStream::Refill gunzip(std::shared_ptr<ByteStream> packed);

// One raw deflate run, as zip archives hold it.
ByteStream::Refill inflate_raw(std::shared_ptr<ByteStream> packed);

// Passes bytes through and makes sure that they are exactly `size` with this CRC-32; the sum is
// judged at the end.
ByteStream::Refill check_member(ByteStream::Refill bytes, std::string name, std::uint64_t size,
                                std::uint32_t crc);

}  // namespace paco::io
