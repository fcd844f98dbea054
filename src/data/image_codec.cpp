#include "data/image_codec.hpp"

#include <fmt/format.h>
#include <webp/decode.h>

#include "base/try.hpp"
#include "data/format.hpp"

namespace paco {

Error damaged_image(const std::string& name, const char* what) {
  return Error{ErrorCode::bad_format, fmt::format("{}: damaged image: {}", name, what),
               "replace or remove this image"};
}

Result<Image> make_image(std::uint64_t width, std::uint64_t height, std::uint64_t bytes,
                         const std::string& name) {
  if (width == 0 || height == 0) return damaged_image(name, "it has no pixels");
  if (width > kMaxPixels || height > kMaxPixels || width * height > kMaxPixels) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: claims {} x {} pixels; more than {} million are refused", name,
                             width, height, kMaxPixels >> 20),
                 "shrink or remove this image"};
  }
  const std::uint64_t pixels = width * height;
  if (pixels > kManyPixels && pixels / kMaxPixelsPerByte > bytes) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: claims {} x {} pixels in {} bytes", name, width, height, bytes),
                 "shrink or remove this image"};
  }
  Image image{width, height, 3, {}};
  image.pixels.resize(width * height * 3);
  return image;
}

Result<Image> decode_webp(std::span<const std::byte> bytes, const std::string& name) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK)
    return damaged_image(name, "not a readable WebP file");
  if (features.has_animation) return damaged_image(name, "animated WebP has no single picture");
  PACO_ASSIGN(Image image, make_image(features.width, features.height, bytes.size(), name));
  if (!WebPDecodeRGBInto(data, bytes.size(), image.pixels.data(), image.pixels.size(),
                         static_cast<int>(3 * image.width))) {
    return damaged_image(name, "its WebP data cannot be decoded");
  }
  return image;
}

Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name) {
  switch (detect_format(bytes.first(std::min(bytes.size(), kDetectBytes)))) {
    case FileFormat::jpeg:
      return decode_jpeg(bytes, name);
    case FileFormat::png:
      return decode_png(bytes, name);
    case FileFormat::webp:
      return decode_webp(bytes, name);
    case FileFormat::empty:
      return damaged_image(name, "the file is empty");
    default:
      return Error{ErrorCode::unsupported, fmt::format("{}: not a JPEG, PNG or WebP image", name),
                   "convert or remove this file"};
  }
}

}  // namespace paco
