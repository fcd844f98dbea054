// Small JPEG pictures that fit into a page.
#pragma once

#include <string>

#include "embed/images/images.hpp"
#include "paco/result.hpp"

namespace paco::report {

struct Thumbnail {
  std::size_t width = 0;
  std::size_t height = 0;
  std::string uri;  // data:image/jpeg;base64,...
};

// Shrinks to at most `side` pixels on the longer side, by the mean of the pixels under each new
// one; never enlarges.
embed::Image shrink(const embed::Image& image, std::size_t side);

// Deterministic for a given JPEG library.
Result<Thumbnail> make_thumbnail(const embed::Image& image, std::size_t side, int quality);

}  // namespace paco::report
