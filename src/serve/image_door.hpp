// Where images come in in place of embeddings: each is decoded, brought to the size that the
// backbone sees, and embedded; a small JPEG of it is kept as the sample's picture.
//
// One thread at a time: the service has one for it, and the backbone splits the images of a request
// among threads of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "serve/samples.hpp"

namespace paco {
class ImageEmbedder;
}

namespace paco::serve {

class ImageDoor {
 public:
  ImageDoor(std::unique_ptr<ImageEmbedder> embedder, std::string name);
  ~ImageDoor();

  std::size_t dimension() const;                     // of its embeddings
  const std::string& name() const { return name_; }  // of the backbone, for people

  // Fills in the embeddings of the samples that brought an image, and the pictures of those that
  // brought none. Images that cannot be read are refused as the sample's fault.
  std::optional<BadSample> embed(Samples& samples);

 private:
  std::optional<BadSample> embed_some(Samples& samples, std::size_t first, std::size_t last);

  std::unique_ptr<ImageEmbedder> embedder_;
  std::string name_;
};

}  // namespace paco::serve
