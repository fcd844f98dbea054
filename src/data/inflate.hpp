// Unpacking of deflate data on the way through: gzip files and the members of zip archives.
//
// Nothing is unpacked ahead of the reader, so a file that unpacks to far more than it holds costs
// no memory.
#pragma once

#include <cstdint>
#include <memory>

#include "data/byte_stream.hpp"

namespace paco {

// All members of a gzip file, one after the other; zlib checks their sums.
ByteStream::Refill gunzip(std::shared_ptr<ByteStream> packed);

// One raw deflate run, as zip archives hold it.
ByteStream::Refill inflate_raw(std::shared_ptr<ByteStream> packed);

// Passes bytes through and makes sure that they are exactly `size` with this CRC-32; the sum is
// judged at the end.
ByteStream::Refill check_member(ByteStream::Refill bytes, std::string name, std::uint64_t size,
                                std::uint32_t crc);

}  // namespace paco
