// The table of file formats: how each is recognised, what it can hold, and the functions that read
// and write it.
//
// Every reader and writer of embeddings, labels, truth and decisions uses this table, so a new
// format needs one file with its functions and one entry in all_formats.cpp. A file is recognised
// by its first bytes, never by its name; the name says only in which format a file is written.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_stream.hpp"
#include "io/element.hpp"
#include "io/file_bytes.hpp"
#include "paco/result.hpp"

namespace paco {
struct MethodInfo;
}
namespace paco::core {
class PartialFile;
}

namespace paco::io {

class ArrayFile;
class DecisionRows;
class DecisionWriter;
class EmbeddingSource;
class EmbeddingWriter;
struct LabelRows;

// A file to read.
struct FormatInput {
  ByteStream stream;  // at its first byte
  // The whole file, for formats that need more than a stream.
  std::function<Result<FileBytes>(ByteStream& stream)> whole;
};

// The names of the values of an evidence field that is a choice; empty for a number.
using EvidenceChoices = std::function<std::vector<std::string>(std::string_view field)>;

// A null function means that the format does not support this content.
struct Format {
  std::string_view name;    // "npy", as messages and 'paco inspect' print it
  std::string_view suffix;  // of the files that are written; empty: it is not written
  // True if a file starts like this format. Null: the format is only written.
  bool (*recognise)(std::span<const std::byte> head) = nullptr;
  // True if a file with this start cannot be another format, or if only bytes after its first row
  // could show another format. Then no more bytes of a pipe are read. Null: certain as soon as it
  // is recognised.
  bool (*is_certain)(std::span<const std::byte> head) = nullptr;

  // For formats with several named arrays. Embeddings and labels are read from one of them.
  Result<ArrayFile> (*arrays)(FileBytes bytes, const std::string& name) = nullptr;
  Result<std::unique_ptr<EmbeddingSource>> (*embeddings)(FormatInput input) = nullptr;
  Result<LabelRows> (*labels)(ByteStream stream) = nullptr;
  // Labels of some samples, with the samples that they are for. Null: as labels.
  Result<LabelRows> (*truth)(ByteStream stream) = nullptr;
  Result<std::unique_ptr<DecisionRows>> (*decisions)(ByteStream stream,
                                                     const EvidenceChoices& choices) = nullptr;

  Result<std::unique_ptr<EmbeddingWriter>> (*write_embeddings)(const std::string& path,
                                                               std::size_t dimension,
                                                               ElementType type) = nullptr;
  Result<void> (*write_labels)(const std::string& path,
                               std::span<const std::string> names) = nullptr;
  // `further`: the names of additional columns, each with a comma before it; formats without column
  // names ignore them.
  Result<std::unique_ptr<DecisionWriter>> (*write_decisions)(core::PartialFile file,
                                                             const MethodInfo& method,
                                                             std::string further) = nullptr;

  bool holds_embeddings() const { return embeddings != nullptr || arrays != nullptr; }
  bool holds_labels() const { return labels != nullptr || arrays != nullptr; }
};

// All formats, in the order in which they are tried; those of all_formats.cpp last.
const std::deque<Format>& formats();
// Adds a format from outside the library. Call it before the first use of the table.
void add_format(Format format);
const Format* find_format(std::string_view name);  // null: none has this name

// The maximum number of first bytes that detect_format() reads.
constexpr std::size_t kDetectBytes = 512;

// The format of a file that starts with `head`: one of formats(), or one called "empty" or
// "unknown".
const Format& detect_format(std::span<const std::byte> head);
// The same for a stream; nothing of it is consumed. A pipe is read no further than the format needs
// to be certain, and never beyond its first row.
Result<const Format*> detect_format(ByteStream& stream);
bool looks_like_text(std::span<const std::byte> head);

// The names of the formats for which `fits` is true, e.g. "npy, npz or csv".
std::string format_names(const std::function<bool(const Format&)>& fits,
                         std::string_view Format::*word = &Format::name);
// The error that `what` ("labels") cannot be read from the file `name`, which has this format.
Error not_held(const Format& format, const std::string& name, std::string_view what,
               std::string hint);
// The format for writing a file with this name. `what` is "embeddings".
Result<const Format*> format_to_write(const std::string& path, std::string_view what,
                                      const std::function<bool(const Format&)>& writes);

// "FILE#NAME" names one array of a file; the name is empty if there is none, or if a file of the
// full name exists.
struct MemberPath {
  std::string path;
  std::string member;
};
MemberPath split_member(const std::string& path);

}  // namespace paco::io
