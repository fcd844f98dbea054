// The option --loader of verbs that read pictures.
#pragma once

#include "cli/options.hpp"
#include "embed/images/images.hpp"

namespace paco {

inline void add_loader(Options& verb, embed::ImageLoader& loader) {
  add_choice<embed::ImageLoader>(
      verb, "--loader", loader,
      {{"upright", embed::ImageLoader::upright}, {"literature", embed::ImageLoader::literature}},
      "upright: pictures are turned by their EXIF data, alpha is laid over white; literature: as "
      "stored, alpha dropped, the longer side truncated, as in released code of the field");
}

}  // namespace paco
