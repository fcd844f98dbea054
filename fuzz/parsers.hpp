// Every parser of files from outside behind one function, for the fuzz targets and for the test
// that damages files byte by byte.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::fuzz {

// The parsers by name; each has a folder of this name under fuzz/corpus, or seeds that are made.
constexpr std::string_view kParsers[] = {
    "npy",        "npz",         "safetensors",  "csv",       "jsonl",       "fvecs", "labels",
    "split_list", "json",        "artifact",     "tar",       "idx",         "cifar", "jpeg",
    "png",        "webp",        "decisions",    "truth",     "trace",       "model", "state",
    "tokenizer",  "text_config", "image_config", "text_rows", "text_weights"};

// Parses the bytes to the very end and looks at everything that comes out. Ok where they are valid.
Result<void> parse_as(std::string_view parser, std::span<const std::byte> bytes);

struct Seed {
  std::string name;
  std::vector<std::byte> bytes;
};
// Valid inputs of `model` and `state`. They hold the version of the format and the fingerprint of a
// model, so they are made anew by the program that reads them; other parsers have none.
std::vector<Seed> made_seeds(std::string_view parser);

}  // namespace paco::fuzz
