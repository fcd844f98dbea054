// Images to embeddings with a trained run or a bare backbone. Torch-free to include.
//
// For whole data sets see embed_images.hpp. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linalg/matrix.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"
#include "represent/loader.hpp"
#include "represent/net_spec.hpp"

namespace paco {

struct EmbedderSettings {
  std::string device = "cpu";  // cpu, cuda, cuda:N
  unsigned threads = 0;        // of the network on a CPU; 0: the library's default
  std::string precision =
      "auto";  // float32, bfloat16, or auto: bfloat16 on a GPU, float32 on a CPU
};

class Embedder {
 public:
  // A run folder that `paco train` wrote.
  static Result<std::unique_ptr<Embedder>> open_run(const std::string& path,
                                                    const EmbedderSettings& settings);
  // A backbone without head; `weights` empty means fresh weights from seed 0.
  static Result<std::unique_ptr<Embedder>> open_backbone(const NetSpec& spec,
                                                         const std::string& weights,
                                                         const EmbedderSettings& settings);
  ~Embedder();

  const NetSpec& spec() const;
  const std::vector<std::string>& class_names() const;  // empty for a bare backbone
  const Matrix<float>& classifier() const;              // (classes, d); no rows where there is none
  const std::vector<std::string>& ignored_tensors() const;  // of the weights file

  // Differs between networks, weights and precisions: tells whether two embeddings have the same
  // origin.
  std::uint64_t fingerprint() const;

  // View 0 of a batch -> out, (batch.samples.size(), spec().embedding()).
  Result<void> embed(const Batch& batch, Rows<float> out);
  // The same in two steps, so that a GPU works while the caller does: submit() hands a batch over,
  // collect() waits for its embeddings. Between them other batches may be submitted; they are
  // collected in order.
  Result<void> submit(const Batch& batch);
  Result<void> collect(Rows<float> out);
  // Memory that the device copies from fastest, for LoaderSettings::allocate.
  std::function<std::shared_ptr<std::uint8_t[]>(std::size_t)> allocator() const;

 private:
  struct State;
  explicit Embedder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace paco
