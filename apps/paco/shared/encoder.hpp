// --encoder: the network that turns images or texts into embeddings, for all verbs with this
// option.
//
// It is given as a name of 'paco models list', a run folder of paco train, the folder of a
// published encoder, or a backbone's name with --weights.
#pragma once

#include <memory>
#include <string>

#include "cli/verb.hpp"
#include "embed/embedder.hpp"
#include "embed/text/text_encoder.hpp"
#include "paco/embedding_record.hpp"

namespace paco::server {
class EmbeddingQueue;
}  // namespace paco::server

namespace paco {

struct EncoderOptions {
  std::string encoder, weights, normalise;
  int input = 0;               // pixels; 0: that of the network
  bool fresh_weights = false;  // a backbone may be used without weights
  embed::EmbedderSettings settings;

  bool given() const { return !encoder.empty() || !weights.empty(); }
};

// The options --encoder, --weights, --normalise, --input and --precision.
void add_encoder(Options& verb, EncoderOptions& options, const std::string& what_for);

// One of the two is set.
struct Encoder {
  std::unique_ptr<embed::ImageEmbedder> images;
  std::unique_ptr<embed::TextEncoder> texts;
  EmbeddingRecord record;  // of its embeddings
};

// If `torch` is null, the device is the CPU, and weights that contain code are refused.
Result<Encoder> open_encoder(const EncoderOptions& options, const TorchParts* torch = nullptr);
// The same, for images or texts only.
Result<Encoder> open_image_encoder(const EncoderOptions& options,
                                   const TorchParts* torch = nullptr);
Result<Encoder> open_text_encoder(const EncoderOptions& options);

// The embedding queue of the server, for this encoder.
std::shared_ptr<server::EmbeddingQueue> embedding_queue(Encoder encoder);

// Torch is needed for a GPU and for files that contain code.
bool encoder_needs_torch(const EncoderOptions& options);

}  // namespace paco
