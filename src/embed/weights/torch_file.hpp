// The two forms of file that torch.save has written: a zip archive with a pickle and one member per
// storage (since 1.6), and before that four pickles in a row with the storages behind them.
// Internal to represent/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "embed/weights/pickle.hpp"
#include "io/element.hpp"
#include "io/zip.hpp"
#include "paco/result.hpp"

namespace paco::embed {

struct TorchFile {
  Pickle pickle;
  std::map<std::string, std::vector<std::byte>> storages;  // by key; only those the pickle mentions
};

// The number type of a storage, e.g. of "torch.FloatStorage".
std::optional<io::ElementType> storage_type(std::string_view global);
bool looks_like_zip(std::span<const std::byte> bytes);
// A zip archive that holds code beside its tensors.
bool is_torchscript(const io::ZipArchive& archive);

Result<TorchFile> read_torch_zip(const io::ZipArchive& archive);
Result<TorchFile> read_torch_legacy(std::span<const std::byte> bytes, const std::string& origin);

}  // namespace paco::embed
