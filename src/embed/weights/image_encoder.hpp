// What lies in an encoder's folder, and a published image encoder in the layout of timm:
// config.json (architecture and normalisation) beside one file of weights, or that file alone if it
// is called as timm calls it. Opens no network.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "embed/weights/net_spec.hpp"
#include "paco/embedding_record.hpp"
#include "paco/result.hpp"

namespace paco::embed {

enum class EncoderKind {
  run,    // a folder of paco train, or its weights file (run_folder.hpp)
  image,  // a published vision transformer
  text    // a sentence encoder (text_spec.hpp)
};
// The kind of encoder, found from the files in the folder; the error names what is missing.
Result<EncoderKind> encoder_kind(const std::string& path);

struct ImageEncoderFiles {
  NetSpec spec;
  std::string weights;
};
Result<ImageEncoderFiles> read_image_encoder(const std::string& path);
// The network of weights that are called as timm calls them: "vit_tiny_patch16_224.safetensors",
// "vit_base_patch16_224.augreg_in21k.safetensors", "vit_small_patch16_224.dino.safetensors".
// Nothing if the name does not say how pixels are normalised.
std::optional<NetSpec> spec_of_file_name(const std::string& path);
// The network that such a config.json describes.
Result<NetSpec> parse_image_config(std::string_view text, const std::string& name);

// The record of embeddings that this network makes. `weights`: its file; empty: fresh ones, seed 0.
Result<EmbeddingRecord> image_record(const NetSpec& spec, const std::string& weights,
                                     const std::string& precision);

}  // namespace paco::embed
