// Images to embeddings with a trained run or a bare backbone. Torch-free to include.
//
//   PACO_ASSIGN(auto embedder, Embedder::open_run("run", {}));
//   PACO_ASSIGN(auto report, embed_images(*source, order, *embedder, options, sink, stop));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
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

  // View 0 of a batch -> out, (batch.samples.size(), spec().embedding()).
  Result<void> embed(const Batch& batch, Rows<float> out);
  // Memory that the device copies from fastest, for LoaderSettings::allocate.
  std::function<std::shared_ptr<std::uint8_t[]>(std::size_t)> allocator() const;

 private:
  struct State;
  explicit Embedder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct EmbedOptions {
  std::size_t batch = 128;
  unsigned threads = 1;  // decoding
  bool strict = false;   // an unreadable image is an error instead of a skipped sample
};

struct EmbedReport {
  std::size_t embedded = 0;
  std::vector<SkippedImage> skipped;
  double seconds = 0;
};

// Called in order for every batch: its samples and their embeddings.
using EmbedSink = std::function<Result<void>(const Batch& batch, Rows<const float> embeddings)>;

Result<EmbedReport> embed_images(const ImageSource& source, std::vector<std::size_t> order,
                                 Embedder& embedder, const EmbedOptions& options,
                                 const EmbedSink& sink, std::stop_token stop = {});

}  // namespace paco
