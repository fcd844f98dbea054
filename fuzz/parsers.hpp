// Every parser of files from outside behind one function, for the fuzz targets and for the test
// that damages files byte by byte.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "paco/result.hpp"

namespace paco::fuzz {

// The parsers by name; each has a folder of this name under fuzz/corpus.
constexpr std::string_view kParsers[] = {
    "npy",        "npz",  "safetensors", "csv",   "jsonl", "fvecs", "labels",
    "split_list", "json", "artifact",    "tar",   "idx",   "cifar", "jpeg",
    "png",        "webp", "decisions",   "truth", "trace", "model", "state"};

// Parses the bytes to the very end and looks at everything that comes out. Ok where they are valid.
Result<void> parse_as(std::string_view parser, std::span<const std::byte> bytes);

}  // namespace paco::fuzz
