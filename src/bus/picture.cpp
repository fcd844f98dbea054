#include "bus/picture.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bus/bytes.hpp"
#include "bus/event.hpp"
#include "embed/images/image_codec.hpp"

namespace paco::bus {
namespace {

constexpr std::string_view kPictureMagic = "pacr";
constexpr std::uint8_t kPictureVersion = 1;

}  // namespace

std::string picture_bytes(const RawPicture& picture) {
  std::string bytes;
  ByteWriter out(bytes);
  out.bytes(kPictureMagic.data(), kPictureMagic.size());
  out.number(kPictureVersion);
  out.text(picture.key);
  out.text(picture.id);
  out.text(picture.file);
  out.number(static_cast<std::uint32_t>(picture.image.width));
  out.number(static_cast<std::uint32_t>(picture.image.height));
  out.bytes(picture.image.pixels.data(), picture.image.pixels.size());
  return bytes;
}

Result<RawPicture> parse_picture(std::string_view bytes) {
  ByteReader in(bytes);
  RawPicture picture;
  if (in.bytes(kPictureMagic.size()) != kPictureMagic ||
      in.number<std::uint8_t>() != kPictureVersion || !in.ok()) {
    return Error{ErrorCode::bad_format, fmt::format("a foreign message of {} bytes", bytes.size()),
                 "only 'paco bus publish --images' writes to this subject"};
  }
  picture.key = in.text();
  picture.id = in.text();
  picture.file = in.text();
  picture.image.width = in.number<std::uint32_t>();
  picture.image.height = in.number<std::uint32_t>();
  const std::uint64_t pixels = std::uint64_t{picture.image.width} * picture.image.height;
  if (!in.ok() || picture.key.empty() || picture.key.size() > kMostKey ||
      picture.id.size() > kMostId || pixels > embed::kMaxPixels || in.left() != pixels * 3 ||
      picture.file.empty() == (pixels == 0)) {
    return Error{ErrorCode::bad_format, "a damaged message",
                 "only 'paco bus publish --images' writes to this subject"};
  }
  const std::string_view raw = in.bytes(in.left());
  picture.image.pixels.assign(raw.begin(), raw.end());
  return picture;
}

Result<embed::Image> decode(const RawPicture& picture) {
  if (picture.file.empty()) return picture.image;
  return embed::decode_image(std::as_bytes(std::span(picture.file)),
                             picture.id.empty() ? picture.key : picture.id);
}

std::string rejection_json(const RawPicture& picture, const std::string& worker,
                           const Error& error) {
  const nlohmann::ordered_json json = {{"key", picture.key},
                                       {"id", picture.id},
                                       {"worker", worker},
                                       {"error", error.message},
                                       {"hint", error.hint}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace paco::bus
