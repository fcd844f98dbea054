// --encoder: the network that turns images or texts into embeddings, for every verb that takes one.
//
// It is named as in 'paco models list', by a run folder of paco train, by a folder as encoders are
// published, or by a backbone's name with --weights.
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
  int input = 0;               // pixels; 0: the network's own
  bool fresh_weights = false;  // a backbone may go without weights
  embed::EmbedderSettings settings;

  bool given() const { return !encoder.empty() || !weights.empty(); }
};

// The options --encoder, --weights, --normalise, --input and --precision.
void add_encoder(Options& verb, EncoderOptions& options, const std::string& what_for);

// One of the two.
struct Encoder {
  std::unique_ptr<embed::ImageEmbedder> images;
  std::unique_ptr<embed::TextEncoder> texts;
  EmbeddingRecord record;  // of what it makes
};

// `torch` may be null: then the device is the CPU, and weights that hold code are refused.
Result<Encoder> open_encoder(const EncoderOptions& options, const TorchParts* torch = nullptr);
// The same where it has to be one of images or of texts.
Result<Encoder> open_image_encoder(const EncoderOptions& options,
                                   const TorchParts* torch = nullptr);
Result<Encoder> open_text_encoder(const EncoderOptions& options);

// What the server embeds with.
std::shared_ptr<server::EmbeddingQueue> embedding_queue(Encoder encoder);

// A GPU and files that hold code are for torch.
bool encoder_needs_torch(const EncoderOptions& options);

}  // namespace paco
