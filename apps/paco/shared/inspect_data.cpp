#include "shared/inspect_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/images/images.hpp"
#include "io/array_file.hpp"
#include "io/csv.hpp"
#include "io/embeddings.hpp"
#include "io/format.hpp"
#include "io/json.hpp"
#include "io/labels.hpp"

namespace paco {
namespace {

constexpr std::size_t kShown = 8;          // values, names and lines at the most
constexpr std::size_t kColumnsShown = 32;  // of a table

std::vector<std::string> first_few(const std::vector<std::string>& names,
                                   std::size_t most = kShown) {
  std::vector<std::string> shown(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most)));
  if (shown.size() < names.size()) shown.push_back("...");
  return shown;
}

// One array: its JSON keys, in the order in which the text shows them.
Result<Json> describe_array(io::ByteStream& stream, const io::NpyHeader& header) {
  Json json;
  json["shape"] = header.shape;
  json["dtype"] = header.text_bytes > 0
                      ? fmt::format("text of {} characters", header.text_bytes / header.text_unit)
                      : std::string(io::element_name(header.type));
  json["order"] = header.column_major ? "column-major" : "row-major";
  if (header.swapped) json["bytes"] = "big-endian";
  if (header.text_bytes > 0) return json;
  const std::size_t count = std::min<std::uint64_t>(header.elements, kShown);
  PACO_ASSIGN(const auto ready, stream.peek(count * io::element_size(header.type)));
  std::vector<double> values(std::min(count, ready.size() / io::element_size(header.type)));
  io::to_doubles(header.type, header.swapped, ready.data(), values);
  json["first"] = values;
  return json;
}

std::string array_text(const Json& json, const std::string& indent) {
  std::string text =
      fmt::format("{}shape  {}\n{}type   {}, {}{}\n", indent,
                  io::shape_text(json["shape"].get<std::vector<std::uint64_t>>()), indent,
                  json["dtype"].get<std::string>(), json["order"].get<std::string>(),
                  json.contains("bytes") ? ", big-endian" : "");
  if (json.contains("first")) {
    text += fmt::format("{}first  {:.6g}\n", indent,
                        fmt::join(json["first"].get<std::vector<double>>(), " "));
  }
  return text;
}

Result<void> inspect_npy(io::ByteStream& stream, Inspection& out) {
  PACO_ASSIGN(const io::NpyHeader header, io::read_npy_header(stream));
  PACO_ASSIGN(const Json array, describe_array(stream, header));
  out.json.update(array);
  out.text += array_text(array, "  ");
  return {};
}

// npz and safetensors: all arrays, or the named one.
Result<void> inspect_arrays(const io::MemberPath& path, const io::Format& format, Inspection& out) {
  PACO_ASSIGN(auto bytes, io::FileBytes::open(path.path));
  PACO_ASSIGN(const io::ArrayFile file, format.arrays(std::move(bytes), path.path));
  if (format.name == "safetensors") out.json["metadata"] = Json::object();
  for (const auto& [key, value] : file.metadata()) {
    out.json["metadata"][key] = value;
    out.text +=
        fmt::format("  {}  {}\n", key, value.size() > 200 ? value.substr(0, 200) + "..." : value);
  }
  out.json["arrays"] = Json::array();
  for (const std::string& name : file.names()) {
    if (!path.member.empty() && name != path.member) continue;
    PACO_ASSIGN(auto array, file.array(name));
    PACO_ASSIGN(Json described, describe_array(array.stream, array.header));
    out.text += fmt::format("  {}\n{}", name, array_text(described, "    "));
    Json named;
    named["name"] = name;
    named.update(described);
    out.json["arrays"].push_back(std::move(named));
  }
  if (!path.member.empty() && out.json["arrays"].empty()) {
    return Error{ErrorCode::not_found, fmt::format("{}: has no array '{}'", path.path, path.member),
                 fmt::format("it holds: {}", fmt::join(first_few(file.names()), ", "))};
  }
  return {};
}

// Formats whose number of rows is known only after reading all of them: csv, jsonl, fvecs.
Result<void> inspect_rows(io::EmbeddingSource& source, Inspection& out) {
  math::Matrix<double> block(std::max<std::size_t>(1, 65536 / source.dimension()),
                             source.dimension());
  std::vector<std::string> ids, first_ids;
  std::vector<double> first;
  std::uint64_t rows = 0;
  while (true) {
    PACO_ASSIGN(const std::size_t count, source.read(block.view(), &ids));
    if (rows == 0) {
      first.assign(block.data(), block.data() + std::min(count * block.columns(), kShown));
      first_ids = first_few(ids);
    }
    rows += count;
    if (count < block.rows()) break;
  }
  out.json["holds"] = "embeddings";
  out.json["shape"] = {rows, source.dimension()};
  out.json["first"] = first;
  out.text += fmt::format("  embeddings  {} rows of {} values\n  first       {:.6g}\n", rows,
                          source.dimension(), fmt::join(first, " "));
  if (!first_ids.empty()) {
    out.json["ids"] = first_ids;
    out.text += fmt::format("  ids         {}\n", fmt::join(first_ids, ", "));
  }
  const auto notes = source.notes();
  if (!notes.empty()) out.json["notes"] = notes;
  for (const std::string& note : notes) out.text += fmt::format("  note        {}\n", note);
  return {};
}

void inspect_labels(const io::Labels& labels, Inspection& out) {
  out.json["holds"] = "labels";
  out.json["shape"] = {labels.ids.size()};
  out.json["classes"] = labels.names.size();
  out.json["first"] = std::vector(
      labels.ids.begin(),
      labels.ids.begin() + static_cast<std::ptrdiff_t>(std::min(labels.ids.size(), kShown)));
  out.json["names"] = first_few(labels.names);
  out.text += fmt::format("  labels   {} of {} classes\n  classes  {}\n", labels.ids.size(),
                          labels.names.size(), fmt::join(first_few(labels.names), ", "));
}

// A table without embeddings or labels, e.g. decisions.
Result<void> inspect_table(const std::string& path, Inspection& out) {
  PACO_ASSIGN(auto stream, io::ByteStream::open(path));
  io::CsvReader reader(std::move(stream), false);
  std::vector<std::string_view> fields;
  std::vector<std::string> header;
  std::uint64_t rows = 0;
  while (true) {
    PACO_ASSIGN(const bool more, reader.next(fields));
    if (!more) break;
    if (rows++ == 0) header.assign(fields.begin(), fields.end());
  }
  out.json["holds"] = "table";
  out.json["lines"] = rows;
  out.json["first_line"] = header;
  out.text += fmt::format("  table  {} lines; the first: {}\n", rows,
                          fmt::join(first_few(header, kColumnsShown), ", "));
  return {};
}

// JSON lines without embeddings or labels.
Result<void> inspect_json_lines(const std::string& path, Inspection& out) {
  PACO_ASSIGN(auto stream, io::ByteStream::open(path));
  std::string line, first;
  std::uint64_t lines = 0;
  while (true) {
    PACO_ASSIGN(const bool more, stream.read_line(line));
    if (!more) break;
    if (lines++ == 0) first = line;
  }
  const auto value = io::parse_json<Json>(first, path);
  std::vector<std::string> keys;
  if (value.ok() && value->is_object()) {
    for (const auto& [key, ignored] : value->items()) keys.push_back(key);
  }
  out.json["holds"] = "text";
  out.json["lines"] = lines;
  out.json["keys"] = keys;
  out.text += fmt::format(
      "  lines  {}{}\n", lines,
      keys.empty() ? "" : fmt::format("; keys of the first: {}", fmt::join(keys, ", ")));
  return {};
}

// Recognises output of 'paco discover' by its first bytes; it may have millions of lines.
Result<bool> holds_decisions(const std::string& path) {
  PACO_ASSIGN(auto stream, io::ByteStream::open(path));
  PACO_ASSIGN(const auto head, stream.peek(64));
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return text.starts_with("sequence,sample,verdict,") || text.starts_with("{\"sequence\":");
}

// A format without labels contains embeddings. Text formats may contain either; the one whose
// reader accepts the whole file is right.
Result<void> inspect_samples(const std::string& path, const io::Format& format, Inspection& out) {
  const bool table = format.name == "csv";
  PACO_ASSIGN(const bool decisions, holds_decisions(path));
  if (decisions) return table ? inspect_table(path, out) : inspect_json_lines(path, out);
  auto source = io::open_embeddings(path);
  if (source.ok() && ((*source)->dimension() > 1 || !format.holds_labels())) {
    Inspection rows = out;
    const auto read = inspect_rows(**source, rows);
    if (read.ok()) out = std::move(rows);
    if (read.ok() || !format.holds_labels()) return read;
  }
  // Labels repeat; if all lines differ, they are not labels.
  const auto labels = io::read_labels(path);
  if (labels.ok() && labels->names.size() < labels->ids.size()) {
    inspect_labels(*labels, out);
    return {};
  }
  return table ? inspect_table(path, out) : inspect_json_lines(path, out);
}

Result<void> inspect_images(const embed::ImageSource& source, Inspection& out) {
  out.json["images"] = source.size();
  out.json["classes"] = source.class_names().size();
  out.json["names"] = first_few(source.class_names());
  out.text += fmt::format("  images   {}\n", source.size());
  if (source.class_names().empty()) {
    out.text += "  classes  none: the images have no labels\n";
  } else {
    out.text += fmt::format("  classes  {}: {}\n", source.class_names().size(),
                            fmt::join(first_few(source.class_names()), ", "));
  }
  PACO_ASSIGN(const embed::Image image, source.load(0));
  Json first;
  first["name"] = source.name(0);
  first["label"] = source.label(0);
  first["width"] = image.width;
  first["height"] = image.height;
  first["first"] = std::vector(
      image.pixels.begin(),
      image.pixels.begin() + static_cast<std::ptrdiff_t>(std::min(image.pixels.size(), kShown)));
  out.text +=
      fmt::format("  first    {}, {} x {} pixels\n", source.name(0), image.width, image.height);
  out.json["first"] = std::move(first);
  return {};
}

Result<Inspection> inspect_data_set(const std::string& spec) {
  PACO_ASSIGN(const auto source, embed::open_images(spec));
  Inspection out;
  out.json["file"] = spec;
  out.json["kind"] = "images";
  out.text = fmt::format("{}: images\n", spec);
  PACO_TRY(inspect_images(*source, out));
  return out;
}

Result<void> inspect_one_image(const std::string& path, Inspection& out) {
  PACO_ASSIGN(const auto bytes, core::read_file(path));
  PACO_ASSIGN(const embed::Image image, embed::decode_image(bytes, path));
  out.json["shape"] = {image.height, image.width, image.channels};
  out.text += fmt::format("  size  {} x {} pixels\n", image.width, image.height);
  return {};
}

// IDX files come in two kinds: images have three dimensions, labels one.
Result<void> inspect_idx(const std::string& path, Inspection& out) {
  PACO_ASSIGN(const auto bytes, io::FileBytes::open(path));
  constexpr std::size_t kHeader = 8;
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto head,
              bytes.at(0, std::min<std::uint64_t>(bytes.size(), kHeader + kShown), buffer));
  if (head.size() > 3 && head[3] == std::byte{3}) {
    PACO_ASSIGN(const auto source, embed::open_images("idx:" + path));
    return inspect_images(*source, out);
  }
  const std::uint64_t count = bytes.size() < kHeader ? 0 : bytes.size() - kHeader;
  std::vector<int> first;
  for (std::size_t i = kHeader; i < head.size(); ++i)
    first.push_back(std::to_integer<int>(head[i]));
  out.json["holds"] = "labels";
  out.json["shape"] = {count};
  out.json["first"] = first;
  out.text += fmt::format("  labels  {}\n  first   {}\n", count, fmt::join(first, " "));
  return {};
}

Result<void> inspect_format(const io::MemberPath& path, const io::Format& format,
                            io::ByteStream& stream, Inspection& out) {
  if (format.name == "npy") return inspect_npy(stream, out);
  if (format.name == "idx") return inspect_idx(path.path, out);
  if (format.arrays != nullptr) return inspect_arrays(path, format, out);
  if (format.embeddings != nullptr) return inspect_samples(path.path, format, out);
  return inspect_one_image(path.path, out);
}

}  // namespace

Result<Inspection> inspect_data(const std::string& path) {
  const io::MemberPath parts = io::split_member(path);
  const bool named = path == "fashion-mnist" || path.find(':') != path.npos;
  if (core::path_kind(parts.path) == core::PathKind::absent && !named) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: there is no such file or folder", parts.path),
                 "check the spelling of the path"};
  }
  if (core::path_kind(parts.path) != core::PathKind::file) return inspect_data_set(path);
  PACO_ASSIGN(const std::uint64_t size, core::file_size(parts.path));
  PACO_ASSIGN(auto stream, io::ByteStream::open(parts.path));
  PACO_ASSIGN(const io::Format* format, io::detect_format(stream));
  Inspection out;
  out.json["file"] = parts.path;
  out.json["kind"] = std::string(format->name);
  out.json["bytes_on_disk"] = size;
  out.text = fmt::format("{}: {}, {} bytes\n", parts.path, format->name, size);
  if (format->name == "tar") return inspect_data_set("tar:" + parts.path);
  if (format->name == "empty") {
    return Error{ErrorCode::bad_format, fmt::format("{}: is empty", parts.path),
                 "check the program that wrote it"};
  }
  if (format->name != "unknown") {
    PACO_TRY(inspect_format(parts, *format, stream, out));
    return out;
  }
  // CIFAR's files have no signature; they are recognised by their size.
  for (const char* kind : {"cifar10:", "cifar100:"}) {
    if (auto cifar = inspect_data_set(kind + parts.path); cifar.ok()) return cifar;
  }
  return Error{
      ErrorCode::unsupported, fmt::format("{}: not a kind of file that is known here", parts.path),
      "known are npy, npz, safetensors, csv, jsonl, fvecs, idx, CIFAR, tar, JPEG, PNG and WebP"};
}

}  // namespace paco
