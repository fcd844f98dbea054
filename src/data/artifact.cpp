#include "data/artifact.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>

#include "base/try.hpp"

namespace paco {
namespace {

constexpr const char* kKind = "paco.kind";
constexpr const char* kVersion = "paco.version";
constexpr const char* kChecksum = "paco.crc32";

// CRC-32 (as zlib.crc32 in Python) of a name, a zero byte and the content.
std::uint32_t entry_checksum(const std::string& name, std::span<const std::byte> bytes) {
  const auto* text = reinterpret_cast<const Bytef*>(name.c_str());
  const uLong head = crc32_z(0, text, name.size() + 1);
  // zlib takes a null pointer, as an empty array may have, for a request to start anew.
  if (bytes.empty()) return static_cast<std::uint32_t>(head);
  return static_cast<std::uint32_t>(
      crc32_z(head, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string hex(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

Result<SafetensorsFile> verified(SafetensorsFile file, const std::string& kind, int version) {
  const std::string found = artifact_kind(file);
  if (found != kind) {
    return Error{ErrorCode::mismatch,
                 found.empty()
                     ? fmt::format("{}: not a paco {}", file.name(), kind)
                     : fmt::format("{}: this is a paco {}, not a {}", file.name(), found, kind),
                 kind == "model" ? "make one with 'paco calibrate'"
                                 : "make one with 'paco discover --save-state'"};
  }
  PACO_ASSIGN(const std::string text, artifact_entry(file, kVersion));
  int number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || number < 1) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: version '{}' is not a number", file.name(), text),
                 "the file is damaged; make it again"};
  }
  if (number > version) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{}: written by a newer paco (format {}, this one reads up to {})",
                             file.name(), number, version),
                 "update paco"};
  }
  PACO_ASSIGN(const std::string stored, artifact_entry(file, kChecksum));
  std::uint32_t sum = 0;
  for (const auto& [key, value] : file.metadata()) {
    if (key != kChecksum) sum += entry_checksum(key, bytes_of(value));
  }
  for (const TensorView& tensor : file.tensors()) sum += entry_checksum(tensor.name, tensor.bytes);
  if (hex(sum) != stored) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: damaged: its checksum is {}, the file says {}", file.name(),
                             hex(sum), stored),
                 "restore it from a copy, or make it again"};
  }
  return file;
}

}  // namespace

ArtifactWriter::ArtifactWriter(std::string kind, int version) {
  set(kKind, std::move(kind));
  set(kVersion, std::to_string(version));
}

void ArtifactWriter::set(std::string key, std::string value) {
  checksum(key, bytes_of(value));
  writer_.set_metadata(std::move(key), std::move(value));
}

void ArtifactWriter::checksum(const std::string& name, std::span<const std::byte> bytes) {
  sum_ += entry_checksum(name, bytes);
}

std::string ArtifactWriter::checksum() const { return hex(sum_); }

Result<std::vector<std::byte>> ArtifactWriter::to_bytes() {
  writer_.set_metadata(kChecksum, checksum());
  return writer_.to_bytes();
}

Result<void> ArtifactWriter::write(const std::string& path) {
  writer_.set_metadata(kChecksum, checksum());
  return writer_.write(path);
}

Result<SafetensorsFile> open_artifact(const std::string& path, const std::string& kind,
                                      int version) {
  PACO_ASSIGN(SafetensorsFile file, SafetensorsFile::open(path));
  return verified(std::move(file), kind, version);
}

Result<SafetensorsFile> artifact_from_bytes(std::vector<std::byte> bytes, const std::string& name,
                                            const std::string& kind, int version) {
  PACO_ASSIGN(SafetensorsFile file, SafetensorsFile::from_bytes(std::move(bytes), name));
  return verified(std::move(file), kind, version);
}

std::string artifact_kind(const SafetensorsFile& file) {
  const auto found = file.metadata().find(kKind);
  return found == file.metadata().end() ? std::string() : found->second;
}

Result<std::string> artifact_entry(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  return Error{ErrorCode::bad_format, fmt::format("{}: its metadata has no '{}'", file.name(), key),
               "the file is damaged or was not written by paco"};
}

}  // namespace paco
