// An embedder in the worker's own process: a backbone of represent/, such as those that run on a
// CPU without torch.
#pragma once

#include <memory>

#include "bus/worker.hpp"
#include "embed/embedder.hpp"

namespace paco::bus {

class BackboneEmbedder final : public PictureEmbedder {
 public:
  explicit BackboneEmbedder(std::unique_ptr<embed::ImageEmbedder> backbone)
      : backbone_(std::move(backbone)) {}
  Result<void> embed(std::span<const embed::Image> images, Rows<float> out) override;

 private:
  std::unique_ptr<embed::ImageEmbedder> backbone_;
};

}  // namespace paco::bus
