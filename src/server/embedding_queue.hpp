// Where images or texts come in in place of embeddings. An image is decoded, brought to the size
// that the encoder sees, and embedded; a small JPEG of it is kept as the sample's picture. The
// beginning of a text is kept as the attribute "text".
//
// One thread at a time: the service has one for it, and the encoder splits the samples of a request
// among threads of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "paco/embedding_record.hpp"
#include "server/samples.hpp"

namespace paco::embed {
class ImageEmbedder;
class TextEncoder;
}  // namespace paco::embed

namespace paco::server {

// Keeps the beginning of a text among a sample's attributes (a JSON object, or empty), unless it
// brought one of that name.
void keep_text(std::string text, std::string& attributes);

// A small JPEG (640 px) of an image file, as it is kept for people to see.
Result<std::string> small_picture(std::span<const std::byte> file, const std::string& name);

class EmbeddingQueue {
 public:
  EmbeddingQueue(std::unique_ptr<embed::ImageEmbedder> embedder, EmbeddingRecord record);
  EmbeddingQueue(std::unique_ptr<embed::TextEncoder> encoder, EmbeddingRecord record);
  ~EmbeddingQueue();

  bool takes_texts() const { return texts_ != nullptr; }  // else images

  const EmbeddingRecord& record() const { return record_; }  // of what it makes

  // So many at once: requests with more of them take turns.
  static constexpr std::size_t kTogether = 64;
  // Of the samples from `first` on, kTogether of them: fills in the embeddings of those that
  // brought an image or a text (of the kind that it takes), and the pictures of those that brought
  // none. Images that cannot be read are refused as the sample's fault.
  std::optional<BadSample> embed(Samples& samples, std::size_t first);

 private:
  std::optional<BadSample> embed_texts(Samples& samples, std::size_t first, std::size_t last);
  std::optional<BadSample> embed_some(Samples& samples, std::size_t first, std::size_t last);

  std::unique_ptr<embed::ImageEmbedder> embedder_;  // one of the two
  std::unique_ptr<embed::TextEncoder> texts_;
  EmbeddingRecord record_;
};

}  // namespace paco::server
