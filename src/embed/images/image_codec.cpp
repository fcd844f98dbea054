#include "embed/images/image_codec.hpp"

#include <fmt/format.h>
#include <webp/decode.h>

#include "core/try.hpp"
#include "embed/images/exif.hpp"
#include "embed/images/image_orientation.hpp"
#include "io/format.hpp"

namespace paco::embed {

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

Result<Image> decode_webp(std::span<const std::byte> bytes, const std::string& name,
                          ImageLoader loader) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK)
    return damaged_image(name, "not a readable WebP file");
  if (features.has_animation) return damaged_image(name, "animated WebP has no single picture");
  PACO_ASSIGN(Image image, make_image(features.width, features.height, bytes.size(), name));
  const std::size_t channels = features.has_alpha ? 4 : 3;
  std::vector<std::uint8_t> rgba(features.has_alpha ? 4 * image.width * image.height : 0);
  auto& target = features.has_alpha ? rgba : image.pixels;
  const auto decode_into = features.has_alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (!decode_into(data, bytes.size(), target.data(), target.size(),
                   static_cast<int>(channels * image.width))) {
    return damaged_image(name, "its WebP data cannot be decoded");
  }
  if (features.has_alpha) place_colours(rgba, loader, image);
  return oriented_by(loader, std::move(image), exif_orientation(exif_of(bytes)));
}

namespace {

Result<Image> decode(std::span<const std::byte> bytes, const std::string& name, std::size_t side,
                     ImageLoader loader) {
  const std::string_view format =
      io::detect_format(bytes.first(std::min(bytes.size(), io::kDetectBytes))).name;
  if (format == "jpeg") return decode_jpeg(bytes, name, side, loader);
  if (format == "png") return decode_png(bytes, name, loader);
  if (format == "webp") return decode_webp(bytes, name, loader);
  if (format == "empty") return damaged_image(name, "the file is empty");
  return Error{ErrorCode::unsupported, fmt::format("{}: not a JPEG, PNG or WebP image", name),
               "convert or remove this file"};
}

}  // namespace

Result<Image> decode_image(std::span<const std::byte> bytes, const std::string& name,
                           ImageLoader loader) {
  return decode(bytes, name, 0, loader);
}

Result<Image> decode_reduced(std::span<const std::byte> bytes, const std::string& name,
                             std::size_t side) {
  return decode(bytes, name, side, ImageLoader::upright);
}

}  // namespace paco::embed
