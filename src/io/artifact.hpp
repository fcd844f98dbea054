// The files this program writes for itself (models, states): safetensors with a kind, a version and
// a checksum.
//
// Two numbers say how to read an artifact: "paco.version" is the version of its kind, which its
// writer sets, and "paco.format" is the version of the part that all kinds share. Files of format 1
// do not contain "paco.format", and their checksum covers names and contents; in format 2 it also
// covers the type and shape of every tensor.
//
// Opening an artifact checks that it has the expected kind, that this version can read it, and that
// it is undamaged. If not, the error names the file and the cause.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/safetensors.hpp"

namespace paco::io {

class ArtifactWriter {
 public:
  ArtifactWriter(std::string kind, int version);

  void set(std::string key, std::string value);
  // The values must stay alive until the artifact is written.
  template <class T>
  void add(const std::string& name, std::vector<std::uint64_t> shape, std::span<const T> values) {
    add_to_sums(name, element_type_of<T>(), shape, std::as_bytes(values));
    writer_.add(name, std::move(shape), values);
  }

  // The checksum of everything added so far; equal contents give equal sums. States identify their
  // model by it, so it is computed as in version 0.1: types and shapes are not included.
  std::string checksum() const;
  Result<std::vector<std::byte>> to_bytes();
  Result<void> write(const std::string& path);  // atomic

 private:
  void add_to_sums(const std::string& name, ElementType type, std::span<const std::uint64_t> shape,
                   std::span<const std::byte> bytes);
  SafetensorsWriter& sealed();  // with format and checksum

  SafetensorsWriter writer_;
  // Sums of entry checksums, which do not depend on the order of entries in the file. content_sum_
  // covers names and contents, file_sum_ everything that the checksum of the file covers.
  std::uint32_t content_sum_ = 0, file_sum_ = 0;
};

// Opens a file of this kind whose version is at most `version` and whose checksum is correct.
// Reading a tensor as another type than its own is an error.
Result<SafetensorsFile> open_artifact(const std::string& path, const std::string& kind,
                                      int version);
Result<SafetensorsFile> artifact_from_bytes(std::vector<std::byte> bytes, const std::string& name,
                                            const std::string& kind, int version);

// The kind that is recorded in an artifact ("model", "state"), or empty for other safetensors
// files.
std::string artifact_kind(const SafetensorsFile& file);

// The version of its kind that is recorded in an artifact.
Result<int> artifact_version(const SafetensorsFile& file);

// The metadata entry with this name; an error if it is missing.
Result<std::string> artifact_entry(const SafetensorsFile& file, const std::string& key);

// The numbers of one tensor of an artifact, in their own type.
using ArtifactNumbers =
    std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>>;
Result<ArtifactNumbers> artifact_numbers(const SafetensorsFile& file, const TensorView& tensor);

}  // namespace paco::io
