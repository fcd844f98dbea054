// Embeds samples that are sent as images or texts instead of embeddings. An image is decoded,
// scaled to the input size of the encoder and embedded; a small JPEG of it is kept as the sample's
// picture. The beginning of a text is kept as the attribute "text".
//
// One thread at a time: the service has one thread for it, and the encoder divides the samples of a
// request among its own threads.
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

// Stores the beginning of a text in a sample's attributes (a JSON object, or empty), unless it has
// an attribute of that name.
void keep_text(std::string text, std::string& attributes);

// A small JPEG (640 px) of an image file, kept for display.
Result<std::string> small_picture(std::span<const std::byte> file, const std::string& name);

class EmbeddingQueue {
 public:
  EmbeddingQueue(std::unique_ptr<embed::ImageEmbedder> embedder, EmbeddingRecord record);
  EmbeddingQueue(std::unique_ptr<embed::TextEncoder> encoder, EmbeddingRecord record);
  ~EmbeddingQueue();

  bool takes_texts() const { return texts_ != nullptr; }  // false: it takes images

  const EmbeddingRecord& record() const { return record_; }  // of its embeddings

  // Number of samples embedded at once; requests with more take turns.
  static constexpr std::size_t kTogether = 64;
  // Embeds up to kTogether samples from `first` on. Sets the embedding of each sample that has an
  // image or a text (the kind that this queue takes), and the picture of each such sample that has
  // none. An image that cannot be read is an error of its sample.
  std::optional<BadSample> embed(Samples& samples, std::size_t first);

 private:
  std::optional<BadSample> embed_texts(Samples& samples, std::size_t first, std::size_t last);
  std::optional<BadSample> embed_some(Samples& samples, std::size_t first, std::size_t last);

  std::unique_ptr<embed::ImageEmbedder> embedder_;  // one of the two is set
  std::unique_ptr<embed::TextEncoder> texts_;
  EmbeddingRecord record_;
};

}  // namespace paco::server
