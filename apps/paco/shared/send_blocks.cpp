#include "shared/send_blocks.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/text/text_rows.hpp"
#include "embed/weights/file_hash.hpp"
#include "io/embeddings.hpp"
#include "io/file_bytes.hpp"
#include "io/npy.hpp"
#include "journal/checksum.hpp"
#include "math/matrix.hpp"
#include "report/base64.hpp"
#include "report/thumbnail.hpp"
#include "server/samples.hpp"

namespace paco {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // of the images in one request
constexpr std::size_t kSignature = 32;                    // bytes needed to recognise an image
constexpr int kDeepest = 32;                              // folders in folders

class Embeddings final : public SendBlocks {
 public:
  Embeddings(std::unique_ptr<io::EmbeddingSource> source, std::size_t block, std::string key_prefix)
      : source_(std::move(source)),
        block_(source_->block_rows(block), source_->dimension()),
        key_prefix_(std::move(key_prefix)) {}

  std::optional<std::uint64_t> total() const override { return source_->rows(); }
  const std::string& name() const override { return source_->name(); }

  Result<SendBlock> next() override {
    PACO_ASSIGN(const std::size_t rows, source_->read_ready(block_.view()));
    const std::uint64_t shape[] = {rows, block_.columns()};
    SendBlock out{rows, io::npy_header(io::ElementType::f64, shape), "application/x-npy", "", {},
                  {}};
    out.body.append(reinterpret_cast<const char*>(block_.data()),
                    rows * block_.columns() * sizeof(double));
    if (!key_prefix_.empty())
      out.query = fmt::format("?key_prefix={}&key_first={}", key_prefix_, sent_);
    sent_ += rows;
    return out;
  }

 private:
  std::unique_ptr<io::EmbeddingSource> source_;
  math::Matrix<double> block_;
  std::string key_prefix_;
  std::uint64_t sent_ = 0;
};

class Items final : public SendBlocks {
 public:
  Items(std::vector<SendItem> items, std::string name, std::size_t block)
      : items_(std::move(items)), name_(std::move(name)), block_(block) {}

  std::optional<std::uint64_t> total() const override { return items_.size(); }
  const std::string& name() const override { return name_; }

  // Writes one JSON object per line, until the request has enough samples or bytes.
  Result<SendBlock> next() override {
    using Json = nlohmann::ordered_json;
    SendBlock out{0, "", "application/jsonl", "", {}, {}};
    for (; at_ < items_.size() && out.samples < block_ && out.body.size() < kMostBytes; ++at_) {
      const SendItem& item = items_[at_];
      Json sample{{"id", item.id}, {"key", item.key}};
      if (item.path.empty()) {
        sample["text"] = item.text;
      } else if (const Result<std::string> image = image_text(item.path); image.ok()) {
        sample["image"] = *image;
      } else {
        skip(item.id, image.error().message);
        continue;
      }
      out.body += sample.dump(-1, ' ', false, Json::error_handler_t::replace);
      out.body += '\n';
      out.files.push_back(item.id);
      out.ends.push_back(out.body.size());
      ++out.samples;
    }
    return out;
  }

 private:
  // A file as base64: unchanged or, if it is too large for a server, as a smaller JPEG.
  static Result<std::string> image_text(const std::string& path) {
    PACO_ASSIGN(const std::vector<std::byte> bytes, core::read_file(path));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto pixels = server::picture_pixels(text);
    if (!pixels)
      return Error{ErrorCode::bad_format, fmt::format("{}: not a JPEG, PNG or WebP image", path),
                   "convert or remove this file"};
    const server::SampleLimits limits;
    if (bytes.size() <= limits.image && *pixels <= limits.image_pixels)
      return report::base64(bytes);
    PACO_ASSIGN(const embed::Image image, embed::decode_reduced(bytes, path, kSmallerSide));
    PACO_ASSIGN(const report::Thumbnail small,
                report::make_thumbnail(image, kSmallerSide, kSmallerQuality));
    return small.uri.substr(small.uri.find(',') + 1);
  }

  static constexpr std::size_t kSmallerSide = 2048;
  static constexpr int kSmallerQuality = 95;
  std::vector<SendItem> items_;
  std::string name_;
  std::size_t block_;
  std::size_t at_ = 0;
};

Result<bool> is_image(const std::string& path) {
  PACO_ASSIGN(const io::FileBytes file, io::FileBytes::open(path));
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto head,
              file.at(0, std::min<std::uint64_t>(file.size(), kSignature), buffer));
  return !server::picture_type({reinterpret_cast<const char*>(head.data()), head.size()}).empty();
}

// `inside`: path relative to the folder given by the user, ending with a slash.
Result<void> add_folder(const std::string& folder, const std::string& inside, int depth,
                        std::vector<SendItem>& files) {
  if (depth > kDeepest)
    return Error{ErrorCode::bad_value, fmt::format("{}: folders nest too deep", folder),
                 "give a folder further down"};
  PACO_ASSIGN(const auto names, core::list_folder(folder));
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const core::PathKind kind = core::path_kind(path);
    if (kind == core::PathKind::folder)
      PACO_TRY(add_folder(path, inside + name + "/", depth + 1, files));
    if (kind != core::PathKind::file) continue;
    PACO_ASSIGN(const bool image, is_image(path));
    if (image) files.push_back({path, "", inside + name, path});
  }
  return {};
}

}  // namespace

std::string key_of(const std::string& prefix, const std::string& path) {
  const std::size_t limit = server::SampleLimits{}.key;
  if (prefix.size() + path.size() <= limit && embed::text_fault(path).empty()) return prefix + path;
  return fmt::format("{}{:016x}", prefix,
                     journal::checksum_of(std::as_bytes(std::span<const char>(path))));
}

Result<std::unique_ptr<SendBlocks>> send_embeddings(const std::string& input, std::size_t block,
                                                    const std::string& key_prefix) {
  PACO_ASSIGN(auto source, io::open_embeddings(input));
  return std::unique_ptr<SendBlocks>(
      std::make_unique<Embeddings>(std::move(source), block, key_prefix));
}

Result<std::unique_ptr<SendBlocks>> send_images(const std::vector<std::string>& paths,
                                                std::size_t block, const std::string& key_prefix) {
  std::vector<SendItem> files;
  for (const std::string& path : paths) {
    if (core::path_kind(path) == core::PathKind::folder)
      PACO_TRY(add_folder(path, "", 0, files));
    else
      files.push_back({path, "", path.substr(path.rfind('/') + 1), path});
  }
  if (files.empty())
    return Error{ErrorCode::not_found, fmt::format("{}: there is no image", paths.front()),
                 "JPEG, PNG and WebP files are sent"};
  std::map<std::string, std::string> paths_by_key;
  for (SendItem& file : files) {
    file.key = key_of(key_prefix, file.key);
    const auto [earlier, first] = paths_by_key.emplace(file.key, file.path);
    if (first) continue;
    return Error{
        ErrorCode::bad_argument,
        fmt::format("{} and {} would have the same key '{}'", earlier->second, file.path, file.key),
        "send them in two runs, each with a --key-prefix of its own"};
  }
  return send_items(std::move(files), paths.front(), block);
}

std::unique_ptr<SendBlocks> send_items(std::vector<SendItem> items, std::string name,
                                       std::size_t block) {
  return std::make_unique<Items>(std::move(items), std::move(name), block);
}

Result<std::unique_ptr<SendBlocks>> send_texts(const std::string& file, const std::string& column,
                                               std::size_t block, const std::string& key_prefix) {
  PACO_ASSIGN(const embed::TextRows rows, embed::read_text_rows(file, {column, ""}));
  std::map<std::string, int> seen;  // number of earlier occurrences of a text
  std::vector<SendItem> items;
  for (std::size_t i = 0; i < rows.texts.size(); ++i) {
    items.push_back({"", rows.texts[i], key_prefix + text_key(rows.texts[i], seen),
                     fmt::format("row {}", rows.rows[i])});
  }
  auto blocks = send_items(std::move(items), file, block);
  for (const embed::SkippedText& text : rows.skipped)
    blocks->skip(fmt::format("row {}", text.row), text.error.message);
  return blocks;
}

std::string text_key(const std::string& text, std::map<std::string, int>& seen) {
  constexpr std::size_t kDigits = 16;
  std::string key = embed::text_sha256(text).substr(0, kDigits);
  if (const int before = seen[key]++; before > 0) key += fmt::format("-{}", before);
  return key;
}

void SendBlock::drop(std::size_t row) {
  const std::size_t begin = row == 0 ? 0 : ends[row - 1], length = ends[row] - begin;
  body.erase(begin, length);
  for (std::size_t i = row + 1; i < ends.size(); ++i) ends[i] -= length;
  ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(row));
  files.erase(files.begin() + static_cast<std::ptrdiff_t>(row));
  --samples;
}

}  // namespace paco
