// Labels of samples, as numbers or as names.
//
// Numbers are class numbers from 0 and are kept. Names become numbers in the order of their bytes,
// so that the same set of names gives the same numbers whatever the order of the samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paco/result.hpp"

namespace paco::io {

struct Labels {
  std::vector<std::int64_t> ids;   // one per sample; indexes names
  std::vector<std::string> names;  // one per class; the number itself if a class has no name
};

// From npy (integers or text), npz or safetensors (an array called "labels", or FILE#NAME), csv
// (the column headed "label" or "class"), text (one label a line, whatever characters are in it),
// jsonl (a value, or the key "label" or "class") or one JSON list. "-" is standard input. Names
// listed in `first` take the numbers 0, 1, ... in that order (a model's known classes); others
// follow.
Result<Labels> read_labels(const std::string& path, std::span<const std::string> first = {});

// One class name a line, or a JSON list of strings; the line number is the class number.
Result<std::vector<std::string>> read_class_names(const std::string& path);
// The same from text in memory; `path` names it in error texts.
Result<std::vector<std::string>> parse_class_names(std::string_view text, const std::string& path);

// Reads keys of samples, one per line. All characters of a line belong to the key.
Result<std::vector<std::string>> read_keys(const std::string& path);
Result<std::vector<std::string>> parse_keys(std::string_view text, const std::string& path);

// Bytes in memory instead of a file; for tests of damaged input.
Result<Labels> parse_labels(std::span<const std::byte> bytes, const std::string& name,
                            std::span<const std::string> first = {});

}  // namespace paco::io
