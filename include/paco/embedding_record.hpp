// What made an embedding: which encoder with which weights, and what was done to its input. Two
// embeddings can be compared only if these agree; a model that was calibrated on embeddings of one
// encoder answers nonsense to those of another, and no number tells.
//
// `paco embed` writes a record beside its output (X.npy.json), a Model carries the one of
// its support set. Numbers from elsewhere have none, and then nothing is checked.
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

// One JSON object, and back. `name` stands for the file in errors.
std::string embedding_record_to_json(const EmbeddingRecord& record);
Result<EmbeddingRecord> embedding_record_from_json(std::string_view text, const std::string& name);

// An error that names both if the model was calibrated on embeddings of something else than this.
// `input` says what the record is of: a file, an encoder. The encoder's name does not count, nor
// does the precision, which moves an embedding far less than another photo of the same bird does.
// A model without a record agrees with everything.
Result<void> check_embedding(const EmbeddingRecord& models, const EmbeddingRecord& record,
                             const std::string& input);
Result<void> check_embedding(const Model& model, const EmbeddingRecord& record,
                             const std::string& input);

}  // namespace paco
