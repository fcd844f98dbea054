// The files this program writes for itself (models, states): safetensors with a kind, a version and
// a checksum.
//
// Whoever opens one learns whether it is the expected kind, readable by this version, and
// undamaged, or gets an error that names the file and says what is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/safetensors.hpp"

namespace paco {

class ArtifactWriter {
 public:
  ArtifactWriter(std::string kind, int version);

  void set(std::string key, std::string value);
  // The values must stay alive until the artifact is written.
  template <class T>
  void add(const std::string& name, std::vector<std::uint64_t> shape, std::span<const T> values) {
    checksum(name, std::as_bytes(values));
    writer_.add(name, std::move(shape), values);
  }

  // Adds up everything given so far; equal content in the same order of calls gives equal sums.
  std::string checksum() const;
  Result<std::vector<std::byte>> to_bytes();
  Result<void> write(const std::string& path);  // atomic

 private:
  void checksum(const std::string& name, std::span<const std::byte> bytes);

  SafetensorsWriter writer_;
  std::uint32_t sum_ =
      0;  // of entry checksums, added, so that the order of entries in the file does not matter
};

// A file of this kind whose version is at most `version` and whose checksum holds.
Result<SafetensorsFile> open_artifact(const std::string& path, const std::string& kind,
                                      int version);
Result<SafetensorsFile> artifact_from_bytes(std::vector<std::byte> bytes, const std::string& name,
                                            const std::string& kind, int version);

// The kind an artifact says it is ("model", "state"), or empty for other safetensors files.
std::string artifact_kind(const SafetensorsFile& file);

// A metadata entry that must be there.
Result<std::string> artifact_entry(const SafetensorsFile& file, const std::string& key);

}  // namespace paco
