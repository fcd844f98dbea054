// What `paco serve` and `paco bus embed` share: the backbone that turns images into embeddings, on
// a CPU and in the program itself.
#pragma once

#include "embed/embedder.hpp"
#include "verb.hpp"

namespace paco {

struct BackboneOptions {
  std::string backbone, weights, normalise = "imagenet";
  embed::EmbedderSettings settings;

  bool given() const { return !backbone.empty() || !weights.empty(); }
};

void add_backbone(CLI::App& verb, BackboneOptions& options, const std::string& what_for);
Result<std::unique_ptr<embed::ImageEmbedder>> open_backbone(const BackboneOptions& options);

}  // namespace paco
