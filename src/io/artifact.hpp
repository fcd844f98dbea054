// The files this program writes for itself (models, states): safetensors with a kind, a version and
// a checksum.
//
// Two numbers say how to read one: "paco.version" is that of the kind, which its writer gives, and
// "paco.format" that of what all kinds share. In format 1, which is not named in the file, the
// checksum covers names and contents; in format 2 also the type and shape of every tensor.
//
// Opening one tells whether it is the expected kind, readable by this version, and
// undamaged, or gets an error that names the file and says what is wrong.
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

  // Of everything given so far; equal content gives equal sums. States name their model by it, so
  // it stays what it was in 0.1: types and shapes do not count.
  std::string checksum() const;
  Result<std::vector<std::byte>> to_bytes();
  Result<void> write(const std::string& path);  // atomic

 private:
  void add_to_sums(const std::string& name, ElementType type, std::span<const std::uint64_t> shape,
                   std::span<const std::byte> bytes);
  SafetensorsWriter& sealed();  // with format and checksum

  SafetensorsWriter writer_;
  // Sums of entry checksums, so that the order of entries in the file does not matter: of names and
  // contents, and of all that the file's own checksum covers.
  std::uint32_t content_sum_ = 0, file_sum_ = 0;
};

// A file of this kind whose version is at most `version` and whose checksum holds. Its tensors are
// read as the type they have or not at all.
Result<SafetensorsFile> open_artifact(const std::string& path, const std::string& kind,
                                      int version);
Result<SafetensorsFile> artifact_from_bytes(std::vector<std::byte> bytes, const std::string& name,
                                            const std::string& kind, int version);

// The kind an artifact says it is ("model", "state"), or empty for other safetensors files.
std::string artifact_kind(const SafetensorsFile& file);

// The version of its kind that an artifact says it has.
Result<int> artifact_version(const SafetensorsFile& file);

// A metadata entry that must be there.
Result<std::string> artifact_entry(const SafetensorsFile& file, const std::string& key);

// The numbers of one of its tensors, in the type they have.
using ArtifactNumbers =
    std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>>;
Result<ArtifactNumbers> artifact_numbers(const SafetensorsFile& file, const TensorView& tensor);

}  // namespace paco::io
