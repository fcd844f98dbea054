#include "bus/backbone_embedder.hpp"

#include <fmt/format.h>

#include "embed/images/centre_batch.hpp"

namespace paco::bus {

Result<void> BackboneEmbedder::embed(std::span<const embed::Image> images, Rows<float> out) {
  const auto numbers = static_cast<std::size_t>(backbone_->spec().embedding());
  if (numbers != out.columns) {
    return Error{ErrorCode::mismatch,
                 fmt::format("the backbone {} makes embeddings of {} numbers, the stream has {}",
                             backbone_->spec().backbone, numbers, out.columns),
                 "use the backbone that the stream's model was made with"};
  }
  embed::CentreBatch batch(backbone_->spec().input, images.size());
  for (std::size_t i = 0; i < images.size(); ++i) batch.add(images[i], i);
  return backbone_->embed(batch.batch(), out);
}

}  // namespace paco::bus
