// The marks of the zip format, which npz files and files of torch.save are.
#pragma once

#include <cstdint>

namespace paco::io {

constexpr std::uint32_t kZipLocal = 0x04034b50, kZipCentral = 0x02014b50, kZipEnd = 0x06054b50;
constexpr std::uint32_t kZipEnd64 = 0x06064b50, kZipLocator64 = 0x07064b50;
constexpr std::uint32_t kZipMax32 = 0xffffffff;  // the number is in the 64-bit extra field

}  // namespace paco::io
