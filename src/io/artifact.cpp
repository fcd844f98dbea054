#include "io/artifact.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <limits>

#include "core/try.hpp"
#include "io/json.hpp"
#include "io/npy.hpp"

namespace paco::io {
namespace {

constexpr const char* kKind = "paco.kind";
constexpr const char* kVersion = "paco.version";
constexpr const char* kFormat = "paco.format";
constexpr const char* kChecksum = "paco.crc32";
constexpr int kNewestFormat = 2;

// CRC-32 (as zlib.crc32 in Python) of a name and a zero byte; the CRC of the content continues from
// it.
std::uint32_t entry_start(const std::string& name) {
  const auto* text = reinterpret_cast<const Bytef*>(name.c_str());
  return static_cast<std::uint32_t>(crc32_z(0, text, name.size() + 1));
}

std::uint32_t extended(std::uint32_t sum, std::span<const std::byte> bytes) {
  // zlib interprets a null pointer, which an empty array may have, as a request for the initial
  // value.
  if (bytes.empty()) return sum;
  return static_cast<std::uint32_t>(
      crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t entry_checksum(const std::string& name, std::span<const std::byte> bytes) {
  return extended(entry_start(name), bytes);
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// The text that represents a tensor in a checksum: its name alone in format 1, "name float64 (2,
// 3)" in format 2.
std::string described(const std::string& name, ElementType type,
                      std::span<const std::uint64_t> shape, int format) {
  if (format == 1) return name;
  return fmt::format("{} {} {}", name, element_name(type), shape_text(shape));
}

std::string hex(std::uint32_t sum) { return fmt::format("{:08x}", sum); }

// A version number of at most `newest`.
Result<int> read_version(const SafetensorsFile& file, const std::string& text, int newest) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || number < 1) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: version '{}' is not a number", file.name(), text),
                 "the file is damaged; make it again"};
  }
  if (number > newest) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{}: written by a newer paco (format {}, this one reads up to {})",
                             file.name(), number, newest),
                 "update paco"};
  }
  return number;
}

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
  PACO_ASSIGN(const std::string version_text, artifact_entry(file, kVersion));
  PACO_TRY(read_version(file, version_text, version));
  const auto format_text = file.metadata().find(kFormat);
  int format = 1;  // files of 0.1 do not say
  if (format_text != file.metadata().end()) {
    PACO_ASSIGN(format, read_version(file, format_text->second, kNewestFormat));
  }
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return file;  // a fuzzer cannot find the right checksum, and must reach the code after it
#endif
  PACO_ASSIGN(const std::string stored, artifact_entry(file, kChecksum));
  std::uint32_t sum = 0;
  for (const auto& [key, value] : file.metadata()) {
    if (key != kChecksum) sum += entry_checksum(key, bytes_of(value));
  }
  for (const TensorView& tensor : file.tensors()) {
    std::uint32_t entry = entry_start(described(tensor.name, tensor.type, tensor.shape, format));
    ByteStream stream = file.stream(tensor);
    for (;;) {
      PACO_ASSIGN(const auto bytes, stream.peek(1));
      if (bytes.empty()) break;
      entry = extended(entry, bytes);
      stream.consume(bytes.size());
    }
    sum += entry;
  }
  if (hex(sum) != stored) {
    return Error{ErrorCode::bad_format,
                 fmt::format("{}: damaged: its checksum is {}, the file says {}", file.name(),
                             hex(sum), stored),
                 "restore it from a copy, or make it again"};
  }
  for (const auto& [key, value] : file.metadata()) {
    if (json_nests_deeper(value)) {
      return Error{ErrorCode::bad_format,
                   fmt::format("{}: its metadata '{}' nests too deep", file.name(), key),
                   "the file was not written by paco"};
    }
  }
  // This program writes the tensors that it reads, so a tensor of another type is damage, which the
  // checksum of format 1 does not detect.
  file.expect_exact_types();
  return file;
}

}  // namespace

ArtifactWriter::ArtifactWriter(std::string kind, int version) {
  set(kKind, std::move(kind));
  set(kVersion, std::to_string(version));
}

void ArtifactWriter::set(std::string key, std::string value) {
  const std::uint32_t sum = entry_checksum(key, bytes_of(value));
  content_sum_ += sum;
  file_sum_ += sum;
  writer_.set_metadata(std::move(key), std::move(value));
}

void ArtifactWriter::add_to_sums(const std::string& name, ElementType type,
                                 std::span<const std::uint64_t> shape,
                                 std::span<const std::byte> bytes) {
  content_sum_ += entry_checksum(name, bytes);
  file_sum_ += entry_checksum(described(name, type, shape, kNewestFormat), bytes);
}

std::string ArtifactWriter::checksum() const { return hex(content_sum_); }

SafetensorsWriter& ArtifactWriter::sealed() {
  const std::string format = std::to_string(kNewestFormat);
  writer_.set_metadata(kFormat, format);
  writer_.set_metadata(kChecksum, hex(file_sum_ + entry_checksum(kFormat, bytes_of(format))));
  return writer_;
}

Result<std::vector<std::byte>> ArtifactWriter::to_bytes() { return sealed().to_bytes(); }

Result<void> ArtifactWriter::write(const std::string& path) { return sealed().write(path); }

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

Result<int> artifact_version(const SafetensorsFile& file) {
  PACO_ASSIGN(const std::string text, artifact_entry(file, kVersion));
  return read_version(file, text, std::numeric_limits<int>::max());
}

Result<std::string> artifact_entry(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  return Error{ErrorCode::bad_format, fmt::format("{}: its metadata has no '{}'", file.name(), key),
               "the file is damaged or was not written by paco"};
}

Result<ArtifactNumbers> artifact_numbers(const SafetensorsFile& file, const TensorView& tensor) {
  ArtifactNumbers numbers;
  if (tensor.type == ElementType::f64) {
    PACO_ASSIGN(numbers, file.read<double>(tensor.name));
  } else if (tensor.type == ElementType::f32) {
    PACO_ASSIGN(numbers, file.read<float>(tensor.name));
  } else {
    PACO_ASSIGN(numbers, file.read<std::int64_t>(tensor.name));
  }
  return numbers;
}

}  // namespace paco::io
