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

#include "paco/embedding_record.hpp"
#include "server/samples.hpp"

namespace paco::embed {
class ImageEmbedder;
}  // namespace paco::embed

namespace paco::server {

class EmbeddingQueue {
 public:
  EmbeddingQueue(std::unique_ptr<embed::ImageEmbedder> embedder, EmbeddingRecord record);
  ~EmbeddingQueue();

  const EmbeddingRecord& record() const { return record_; }  // of what it makes

  // Fills in the embeddings of the samples that brought an image, and the pictures of those that
  // brought none. Images that cannot be read are refused as the sample's fault.
  std::optional<BadSample> embed(Samples& samples);

 private:
  std::optional<BadSample> embed_some(Samples& samples, std::size_t first, std::size_t last);

  std::unique_ptr<embed::ImageEmbedder> embedder_;
  EmbeddingRecord record_;
};

}  // namespace paco::server
