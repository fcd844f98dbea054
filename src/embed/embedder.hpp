// The interface of image embedders, which use a trained run or a bare backbone. On a CPU that is
// cpu/cpu_embedder.hpp, on a GPU torch/torch_embedder.hpp.
//
// For whole data sets see embed_images.hpp. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "embed/images/loader.hpp"
#include "embed/weights/net_spec.hpp"
#include "math/matrix.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::embed {

struct EmbedderSettings {
  std::string device = "cpu";  // cpu, cuda, cuda:N
  unsigned threads = 0;        // of the network on a CPU; 0: all cores
  // float32, bfloat16, on a CPU also int8; auto: bfloat16 on a GPU, float32 on a CPU.
  std::string precision = "auto";
};

class ImageEmbedder {
 public:
  virtual ~ImageEmbedder() = default;

  virtual const NetSpec& spec() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;  // empty for a bare backbone
  // (classes, d); no rows if there is no classifier.
  virtual const math::Matrix<float>& classifier() const = 0;
  virtual const std::vector<std::string>& ignored_tensors() const = 0;  // of the weights file

  // Differs between networks, weights and precisions: shows whether two embeddings have the same
  // origin.
  virtual std::uint64_t fingerprint() const = 0;

  // Embeds view 0 of a batch into out, (batch.samples.size(), spec().embedding()).
  Result<void> embed(const Batch& batch, Rows<float> out) {
    if (auto submitted = submit(batch); !submitted.ok()) return submitted;
    return collect(out);
  }
  // Same in two steps, so that a GPU computes while the caller continues: submit() starts a batch,
  // collect() waits for its embeddings. Other batches may be submitted in between; they are
  // collected in order.
  virtual Result<void> submit(const Batch& batch) = 0;
  virtual Result<void> collect(Rows<float> out) = 0;
  // Memory that the device copies from fastest, for LoaderSettings::allocate.
  virtual std::function<std::shared_ptr<std::uint8_t[]>(std::size_t)> allocator() const = 0;
};

}  // namespace paco::embed
