// A picture that waits for an embedding worker, as a message: the bytes of an image file as they
// are, or pixels where the data set has no files. And what is said of one that cannot be read.
#pragma once

#include <string>
#include <string_view>

#include "embed/images/images.hpp"
#include "paco/result.hpp"

namespace paco::bus {

struct RawPicture {
  std::string key, id;
  std::string file;    // JPEG, PNG or WebP; or
  embed::Image image;  // RGB pixels
};

std::string picture_bytes(const RawPicture& picture);
// A message that no paco wrote is an error; an image file that cannot be read is one of decode().
Result<RawPicture> parse_picture(std::string_view bytes);
Result<embed::Image> decode(const RawPicture& picture);

// {"key", "id", "worker", "error", "hint"}
std::string rejection_json(const RawPicture& picture, const std::string& worker,
                           const Error& error);

}  // namespace paco::bus
