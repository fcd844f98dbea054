#include "io/all_formats.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "io/array_file.hpp"
#include "io/decision_formats.hpp"
#include "io/embedding_sources.hpp"
#include "io/embedding_writer.hpp"
#include "io/json.hpp"
#include "io/label_rows.hpp"
#include "io/label_writer.hpp"
#include "io/npy.hpp"

namespace paco::io {
namespace {

using namespace std::string_view_literals;
using Head = std::span<const std::byte>;

constexpr std::string_view kWhiteSpace = " \t\r\n";

std::string_view as_text(Head head) {
  return {reinterpret_cast<const char*>(head.data()), head.size()};
}

bool has_at(Head head, std::size_t offset, std::string_view magic) {
  return as_text(head).substr(std::min(offset, head.size())).starts_with(magic);
}

bool is_zip(Head head) { return has_at(head, 0, "PK\3\4"sv) || has_at(head, 0, "PK\5\6"sv); }
bool is_tar(Head head) { return has_at(head, 257, "ustar"sv); }
bool is_jpeg(Head head) { return has_at(head, 0, "\xff\xd8\xff"sv); }
bool is_png(Head head) { return has_at(head, 0, "\x89PNG"sv); }
bool is_webp(Head head) { return has_at(head, 0, "RIFF"sv) && has_at(head, 8, "WEBP"sv); }
bool is_idx(Head head) {
  return has_at(head, 0, "\0\0\x08\1"sv) || has_at(head, 0, "\0\0\x08\3"sv);
}

bool is_jsonl(Head head) {
  if (!looks_like_text(head)) return false;
  const std::size_t first = as_text(head).find_first_not_of(kWhiteSpace);
  return first != std::string_view::npos &&
         (as_text(head)[first] == '{' || as_text(head)[first] == '[');
}
bool is_csv(Head head) { return looks_like_text(head) && !is_jsonl(head); }
bool has_line(Head head) {
  return as_text(head).find('\n', as_text(head).find_first_not_of(kWhiteSpace)) !=
         std::string_view::npos;
}

// The file starts with the length of the safetensors header. Rows of fvecs may start with the same
// bytes, a dimension and 0.0. So the header must also be text that starts like a JSON object, and,
// if all of it is here, it must be a JSON object.
bool is_safetensors(Head head) {
  if (head.size() < 10) return false;
  std::uint64_t length;
  std::memcpy(&length, head.data(), 8);
  if (length >= (std::uint64_t{1} << 32)) return false;
  const std::string_view text = as_text(head).substr(8, length);
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 32 && kWhiteSpace.find(c) == kWhiteSpace.npos) ||
           c == 127;
  };
  if (!text.starts_with('{') || std::any_of(text.begin(), text.end(), is_control)) return false;
  if (text.size() == length) return parse_json(text, "").ok();
  const std::size_t next = text.find_first_not_of(kWhiteSpace, 1);
  return next == text.npos || text[next] == '"' || text[next] == '}';
}

// The number of values in a row if these bytes can be fvecs, or 0.
std::uint32_t fvecs_dimension(Head head) {
  std::uint32_t dimension = 0;
  if (head.size() >= 4) std::memcpy(&dimension, head.data(), 4);
  return dimension <= (1u << 20) ? dimension : 0;
}
bool is_fvecs(Head head) {
  return head.size() >= 8 && fvecs_dimension(head) > 0 && !looks_like_text(head);
}
// If a row of fvecs starts like a safetensors header, it ends before the header does.
bool has_fvecs_row(Head head) {
  const std::size_t dimension = fvecs_dimension(head);
  return dimension == 0 || head.size() >= 4 + 4 * dimension;
}

}  // namespace

std::deque<Format> all_formats() {
  return {{.name = "npy",
           .suffix = ".npy",
           .recognise = looks_like_npy,
           .embeddings = open_npy_embeddings,
           .labels = read_npy_labels,
           .decisions = open_npy_decisions,
           .write_embeddings = create_npy_embeddings,
           .write_labels = write_npy_labels,
           .write_decisions = create_npy_decisions},
          {.name = "npz",
           .suffix = ".npz",
           .recognise = is_zip,
           .arrays = open_npz_arrays,
           .write_embeddings = create_npz_embeddings},
          {.name = "safetensors",
           .suffix = ".safetensors",
           .recognise = is_safetensors,
           .is_certain = has_fvecs_row,
           .arrays = open_safetensors_arrays,
           .write_embeddings = create_safetensors_embeddings},
          {.name = "tar", .suffix = "", .recognise = is_tar},
          {.name = "jpeg", .suffix = "", .recognise = is_jpeg},
          {.name = "png", .suffix = "", .recognise = is_png},
          {.name = "webp", .suffix = "", .recognise = is_webp},
          {.name = "idx", .suffix = "", .recognise = is_idx},
          {.name = "csv",
           .suffix = ".csv",
           .recognise = is_csv,
           .is_certain = has_line,
           .embeddings = open_csv_embeddings,
           .labels = read_text_labels,
           .truth = read_csv_truth,
           .decisions = open_csv_decisions,
           .write_embeddings = create_csv_embeddings,
           .write_decisions = create_csv_decisions},
          {.name = "txt", .suffix = ".txt", .write_labels = write_text_labels},
          {.name = "jsonl",
           .suffix = ".jsonl",
           .recognise = is_jsonl,
           .is_certain = has_line,
           .embeddings = open_jsonl_embeddings,
           .labels = read_text_labels,
           .truth = read_json_truth,
           .decisions = open_jsonl_decisions,
           .write_embeddings = create_jsonl_embeddings,
           .write_decisions = create_jsonl_decisions},
          {.name = "fvecs",
           .suffix = ".fvecs",
           .recognise = is_fvecs,
           .is_certain = has_fvecs_row,
           .embeddings = open_fvecs_embeddings,
           .write_embeddings = create_fvecs_embeddings}};
}

}  // namespace paco::io
