// One image file in memory to RGB pixels: JPEG, PNG and WebP, distinguished by their first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "embed/images/images.hpp"
#include "paco/result.hpp"

namespace paco::embed {

// Images of more pixels are rejected before any memory is allocated for them.
constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 27;
// Large images with more pixels per byte of the file than this are rejected too; no real picture
// needs so many.
constexpr std::uint64_t kMaxPixelsPerByte = 10000;
constexpr std::uint64_t kManyPixels = std::uint64_t{1} << 22;

// `name` stands for the file in error messages. Truncated and damaged images are errors, not partly
// grey pictures.
Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name,
                           ImageLoader loader = ImageLoader::upright);

// For a picture that will be reduced to less than `side` on its longer side. A JPEG is decoded at
// an eighth, two eighths, ... of its size: the smallest that is not below `side`. So a JPEG of far
// more pixels than kMaxPixels can be read, in little memory. Other formats are decoded at full
// size.
Result<Image> decode_reduced(std::span<const std::byte> bytes, const std::string& name,
                             std::size_t side);

// The decoders of the formats; the caller has checked the signature. `side`: as above; 0: full
// size.
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
