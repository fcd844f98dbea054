#include "send_blocks.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/embeddings.hpp"
#include "io/file_bytes.hpp"
#include "io/npy.hpp"
#include "math/matrix.hpp"
#include "report/base64.hpp"
#include "server/samples.hpp"

namespace paco {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // of the images in one request
constexpr std::size_t kSignature = 32;                    // bytes that tell an image
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
    SendBlock out{rows, io::npy_header(io::ElementType::f64, shape), "application/x-npy", ""};
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

class Images final : public SendBlocks {
 public:
  Images(std::vector<std::string> files, std::string name, std::size_t block,
         std::string key_prefix)
      : files_(std::move(files)),
        name_(std::move(name)),
        block_(block),
        key_prefix_(std::move(key_prefix)) {}

  std::optional<std::uint64_t> total() const override { return files_.size(); }
  const std::string& name() const override { return name_; }

  // One JSON object a line, until the images of a request are many or large.
  Result<SendBlock> next() override {
    SendBlock out{0, "", "application/jsonl", ""};
    while (sent_ < files_.size() && out.samples < block_ && out.body.size() < kMostBytes) {
      PACO_ASSIGN(const auto bytes, core::read_file(files_[sent_]));
      nlohmann::ordered_json sample = {{"id", files_[sent_]}, {"image", report::base64(bytes)}};
      if (!key_prefix_.empty()) sample["key"] = fmt::format("{}{}", key_prefix_, sent_);
      out.body += sample.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
      out.body += '\n';
      ++out.samples;
      ++sent_;
    }
    return out;
  }

 private:
  std::vector<std::string> files_;
  std::string name_;
  std::size_t block_;
  std::string key_prefix_;
  std::size_t sent_ = 0;
};

Result<bool> is_image(const std::string& path) {
  PACO_ASSIGN(const io::FileBytes file, io::FileBytes::open(path));
  std::vector<std::byte> buffer;
  PACO_ASSIGN(const auto head,
              file.at(0, std::min<std::uint64_t>(file.size(), kSignature), buffer));
  return !server::picture_type({reinterpret_cast<const char*>(head.data()), head.size()}).empty();
}

Result<void> add_folder(const std::string& folder, int depth, std::vector<std::string>& files) {
  if (depth > kDeepest)
    return Error{ErrorCode::bad_value, fmt::format("{}: folders nest too deep", folder),
                 "give a folder further down"};
  PACO_ASSIGN(const auto names, core::list_folder(folder));
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const core::PathKind kind = core::path_kind(path);
    if (kind == core::PathKind::folder) PACO_TRY(add_folder(path, depth + 1, files));
    if (kind != core::PathKind::file) continue;
    PACO_ASSIGN(const bool image, is_image(path));
    if (image) files.push_back(path);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<SendBlocks>> send_embeddings(const std::string& input, std::size_t block,
                                                    const std::string& key_prefix) {
  PACO_ASSIGN(auto source, io::open_embeddings(input));
  return std::unique_ptr<SendBlocks>(
      std::make_unique<Embeddings>(std::move(source), block, key_prefix));
}

Result<std::unique_ptr<SendBlocks>> send_images(const std::vector<std::string>& paths,
                                                std::size_t block, const std::string& key_prefix) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (core::path_kind(path) == core::PathKind::folder)
      PACO_TRY(add_folder(path, 0, files));
    else
      files.push_back(path);
  }
  if (files.empty())
    return Error{ErrorCode::not_found, fmt::format("{}: there is no image", paths.front()),
                 "JPEG, PNG and WebP files are sent"};
  return std::unique_ptr<SendBlocks>(
      std::make_unique<Images>(std::move(files), paths.front(), block, key_prefix));
}

}  // namespace paco
