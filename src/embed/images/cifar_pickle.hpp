// The Python version of CIFAR: pickled batches, turned into the records of the binary version.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "paco/result.hpp"

namespace paco::embed {

// Records as in the binary version: label bytes (two for CIFAR-100), then three planes of 32 x 32.
Result<std::vector<std::byte>> cifar_records(std::span<const std::byte> pickle, bool hundred,
                                             const std::string& path);
// The class names in batches.meta or meta.
Result<std::vector<std::string>> cifar_names(std::span<const std::byte> pickle, bool hundred,
                                             const std::string& path);

}  // namespace paco::embed
