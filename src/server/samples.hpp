// Samples as a request brings them: JSON, JSON lines or an npy array, read straight into rows of
// numbers. The numbers are most of the bytes, so no tree is built of them. Everything is checked
// here but what only the model knows.
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
  std::size_t image = 16 << 20;      // bytes of an image that is to be embedded
  std::uint64_t image_pixels = 1 << 25;
  std::size_t text = 1 << 20;    // bytes of a text that is to be embedded
  std::size_t kept_text = 2048;  // bytes of it that are kept for people to see
  bool labels = false;           // each sample has a "label", the name of its class
};

// Lists of names are empty, or have one for each row.
struct Samples {
  std::size_t rows = 0, dimension = 0;
  std::vector<double> embeddings;  // (rows, dimension)
  std::vector<std::string> keys, ids, attributes, pictures;
  // Files and texts; their rows of `embeddings` are still to be filled in.
  std::vector<std::string> images, texts;
  std::vector<std::string> labels;  // if they are asked for, one for each row

  Rows<const double> view() const { return {embeddings.data(), rows, dimension}; }
};

// Where a sample is at fault, `row` is its number.
struct BadSample {
  Error error;
  std::optional<std::size_t> row;
};

// {"samples": [{"embedding": [...], "key": ..., "id": ..., "attributes": {...}, "picture":
// "..."}]}; in place of the embedding perhaps "image", a file in base64, or "text", which also
// becomes the attribute of that name.
std::optional<BadSample> read_json_samples(std::string_view text, std::size_t dimension,
                                           const SampleLimits& limits, Samples& out);
// One such sample a line.
std::optional<BadSample> read_line_samples(std::string_view text, std::size_t dimension,
                                           const SampleLimits& limits, Samples& out);
// Row i has the key `key_prefix` + (`key_first` + i), unless the prefix is empty.
std::optional<BadSample> read_npy_samples(std::string_view bytes, std::size_t dimension,
                                          const std::string& key_prefix, std::uint64_t key_first,
                                          const SampleLimits& limits, Samples& out);

// One sample, an image file.
std::optional<BadSample> read_image_sample(std::string file, std::size_t dimension,
                                           const std::string& key, const std::string& id,
                                           const SampleLimits& limits, Samples& out);

// "image/png", "image/jpeg" or "image/webp" by the first bytes; empty for anything else.
std::string_view picture_type(std::string_view bytes);
// The pixels that the header of such a file promises, or nothing where it cannot be read.
std::optional<std::uint64_t> picture_pixels(std::string_view bytes);

// RFC 4648; nothing where the text is none.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace paco::server
