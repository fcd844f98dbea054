// The origin of an embedding: the encoder, its weights, and the preprocessing of the input. Two
// embeddings can be compared only if these agree. A model that was calibrated on embeddings of one
// encoder gives meaningless decisions for those of another encoder, and no number shows it.
//
// `paco embed` writes a record beside its output (X.npy.json), and a Model contains the record of
// its support set. Embeddings from other programs have no record; then nothing is checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "paco/result.hpp"

namespace paco {

struct Model;

struct EmbeddingRecord {
  std::string encoder;        // for people: "minilm", "vit_ti16", "bert, 6 blocks of 384"
  std::string weights;        // SHA-256 of the weights file, in hexadecimal digits
  std::string preprocessing;  // everything that is done to an image or a text before the network
  std::string precision = "float32";  // of the products: float32, bfloat16, int8
  std::size_t dimension = 0;

  bool operator==(const EmbeddingRecord&) const = default;
};

// Conversion to one JSON object and back. `name` stands for the file in error messages.
std::string embedding_record_to_json(const EmbeddingRecord& record);
Result<EmbeddingRecord> embedding_record_from_json(std::string_view text, const std::string& name);

// Returns an error that names both origins if the model was calibrated on embeddings of another
// origin. `input` says what the record belongs to: a file, an encoder. The encoder's name is not
// compared. The precision is not compared either: it changes an embedding far less than another
// photo of the same bird does. A model without a record matches every record.
Result<void> check_embedding(const EmbeddingRecord& models, const EmbeddingRecord& record,
                             const std::string& input);
Result<void> check_embedding(const Model& model, const EmbeddingRecord& record,
                             const std::string& input);

}  // namespace paco
