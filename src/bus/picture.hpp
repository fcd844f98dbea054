// A picture for an embedding worker as a message: the bytes of an image file, or pixels if the data
// set has no files. Also the report about a picture that cannot be read.
#pragma once

#include <string>
#include <string_view>

#include "embed/images/images.hpp"
#include "paco/result.hpp"

namespace paco::bus {

struct RawPicture {
  std::string key, id;
  std::string file;    // JPEG, PNG or WebP; if empty, `image` is used
  embed::Image image;  // RGB pixels
};

std::string picture_bytes(const RawPicture& picture);
// Fails for a message that paco did not write. An unreadable image file is an error of decode()
// only.
Result<RawPicture> parse_picture(std::string_view bytes);
Result<embed::Image> decode(const RawPicture& picture);

// {"key", "id", "worker", "error", "hint"}
std::string rejection_json(const RawPicture& picture, const std::string& worker,
                           const Error& error);

}  // namespace paco::bus
