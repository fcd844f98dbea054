// What kind of file this is, judged by its first bytes. Names and extensions are never looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/byte_stream.hpp"
#include "paco/result.hpp"

namespace paco::io {

enum class FileFormat {
  npy,
  zip,
  safetensors,
  jsonl,
  text,
  fvecs,
  idx,
  tar,
  jpeg,
  png,
  webp,
  empty,
  unknown
};

// How many first bytes detect_format() wants to see; fewer where the file is shorter.
constexpr std::size_t kDetectBytes = 512;

FileFormat detect_format(std::span<const std::byte> head);
// The same for a stream, which is left where it stands. Of a pipe no more is awaited than can tell,
// and never more than its first row.
Result<FileFormat> detect_format(ByteStream& stream);
std::string_view format_name(FileFormat format);

// "FILE#NAME" names one array of a file; the name is empty where there is none, or where a file of
// the full name exists.
struct MemberPath {
  std::string path;
  std::string member;
};
MemberPath split_member(const std::string& path);

}  // namespace paco::io
