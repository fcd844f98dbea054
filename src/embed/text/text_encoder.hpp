// Texts to embeddings: a sentence encoder of the BERT family out of a folder in the Hugging Face
// layout (config.json, tokenizer.json or vocab.txt, weights), on a CPU and without torch.
//
//   auto encoder = TextEncoder::open("minilm-folder", {});
//   math::Matrix<float> out(texts.size(), (*encoder)->dimension());
//   (*encoder)->encode(texts, out.view());
//
// An embedding depends on its text alone, bit for bit: not on the texts beside it, their order, nor
// the number of threads. One thread at a time calls encode(). Texts from outside are checked where
// they come in (text_rows.hpp); here bytes that are no UTF-8 count as nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "embed/text/text_spec.hpp"
#include "paco/embedding_record.hpp"
#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::embed {

struct TextEncoderSettings {
  unsigned threads = 0;            // 0: all cores
  std::string precision = "auto";  // float32, bfloat16, int8; auto: float32
  std::optional<Pooling> pooling;  // nothing: as the folder says, or the mean
  std::size_t most_tokens = 0;     // of a text; 0: as the folder says, or 256
};

// What became of some texts.
struct EncodedTexts {
  std::vector<std::size_t> empty;  // numbers of texts without a word
  std::vector<std::size_t> cut;    // of texts whose end did not fit
};

class TextEncoder {
 public:
  static Result<std::unique_ptr<TextEncoder>> open(const std::string& folder,
                                                   const TextEncoderSettings& settings);
  ~TextEncoder();
  TextEncoder(const TextEncoder&) = delete;
  TextEncoder& operator=(const TextEncoder&) = delete;

  std::size_t dimension() const;
  const TextSpec& spec() const;
  const EmbeddingRecord& record() const;

  // out is (texts.size(), dimension()).
  Result<EncodedTexts> encode(std::span<const std::string> texts, Rows<float> out,
                              std::stop_token stop = {});
  // The numbers of a text's pieces, as the network sees them.
  std::vector<std::int32_t> tokens(std::string_view text) const;

 private:
  struct Parts;
  explicit TextEncoder(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace paco::embed
