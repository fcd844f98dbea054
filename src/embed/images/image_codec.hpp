// One image file in memory to RGB pixels: JPEG, PNG and WebP, distinguished by their first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "embed/images/images.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// More pixels than this are refused before anything is allocated for them.
constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 27;
// So are more pixels per byte of a file than any picture with something on it needs, where they are
// many.
constexpr std::uint64_t kMaxPixelsPerByte = 10000;
constexpr std::uint64_t kManyPixels = std::uint64_t{1} << 22;

// `name` stands for the file in error texts. Truncated and damaged images are errors, not half grey
// pictures.
Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name,
                           ImageLoader loader = ImageLoader::upright);

// For a picture that is going to be made smaller than `side` on its longer side: a JPEG is decoded
// at an eighth, two eighths, ... of its size, the least that is not below `side`. So one of many
// more pixels than kMaxPixels is read as well, in little memory. Others are decoded whole.
Result<Image> decode_reduced(std::span<const std::byte> bytes, const std::string& name,
                             std::size_t side);

// The single decoders; the caller has checked the signature. `side`: as above; 0: whole.
Result<Image> decode_jpeg(std::span<const std::byte> bytes, const std::string& name,
                          std::size_t side = 0, ImageLoader loader = ImageLoader::upright);
Result<Image> decode_png(std::span<const std::byte> bytes, const std::string& name,
                         ImageLoader loader = ImageLoader::upright);
Result<Image> decode_webp(std::span<const std::byte> bytes, const std::string& name,
                          ImageLoader loader = ImageLoader::upright);

// An image of this size with its pixels allocated, or the error that it is too large; `bytes` is
// the size of the file.
Result<Image> make_image(std::uint64_t width, std::uint64_t height, std::uint64_t bytes,
                         const std::string& name);
Error damaged_image(const std::string& name, const char* what);

}  // namespace paco::embed
