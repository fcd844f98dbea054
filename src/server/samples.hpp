// Reads the samples of a request: JSON, JSON lines or an npy array, directly into rows of numbers.
// Most of the bytes are numbers, so no tree is built. Everything is checked here except what only
// the model can check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"
#include "paco/rows.hpp"

namespace paco::server {

struct SampleLimits {
  std::size_t samples = 65'536;      // in one request
  std::size_t key = 256, id = 1024;  // bytes
  std::size_t attributes = 4096;     // bytes, as JSON
  std::size_t picture = 256 * 1024;  // bytes
  std::uint64_t pixels = 1 << 22;    // of a picture
  std::size_t image = 16 << 20;      // bytes of an image to be embedded
  std::uint64_t image_pixels = 1 << 25;
  std::size_t text = 1 << 20;    // bytes of a text to be embedded
  std::size_t kept_text = 2048;  // bytes of it kept for display
  bool labels = false;           // each sample has a "label", the name of its class
};

// Each list of names is empty or has one entry per row.
struct Samples {
  std::size_t rows = 0, dimension = 0;
  std::vector<double> embeddings;  // (rows, dimension)
  std::vector<std::string> keys, ids, attributes, pictures;
  // Image files and texts; the rows of `embeddings` for them are filled in later.
  std::vector<std::string> images, texts;
  std::vector<std::string> labels;  // one per row, if SampleLimits::labels is set

  Rows<const double> view() const { return {embeddings.data(), rows, dimension}; }
};

// If one sample is at fault, `row` is its number.
struct BadSample {
  Error error;
  std::optional<std::size_t> row;
};

// {"samples": [{"embedding": [...], "key": ..., "id": ..., "attributes": {...}, "picture":
// "..."}]}; instead of the embedding, a sample may have "image", a file in base64, or "text", which
// also becomes the attribute of that name.
std::optional<BadSample> read_json_samples(std::string_view text, std::size_t dimension,
                                           const SampleLimits& limits, Samples& out);
// One such sample per line.
std::optional<BadSample> read_line_samples(std::string_view text, std::size_t dimension,
                                           const SampleLimits& limits, Samples& out);
// Row i has the key `key_prefix` + (`key_first` + i), unless the prefix is empty.
std::optional<BadSample> read_npy_samples(std::string_view bytes, std::size_t dimension,
                                          const std::string& key_prefix, std::uint64_t key_first,
                                          const SampleLimits& limits, Samples& out);

// One sample: an image file.
std::optional<BadSample> read_image_sample(std::string file, std::size_t dimension,
                                           const std::string& key, const std::string& id,
                                           const SampleLimits& limits, Samples& out);

// "image/png", "image/jpeg" or "image/webp", from the first bytes; empty for anything else.
std::string_view picture_type(std::string_view bytes);
// The number of pixels according to the file's header; nothing if the header cannot be read.
std::optional<std::uint64_t> picture_pixels(std::string_view bytes);

// Decodes base64 (RFC 4648); nothing if the text is not valid.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace paco::server
