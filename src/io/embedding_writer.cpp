#include "io/embedding_writer.hpp"

#include <fmt/format.h>

#include <cassert>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "io/csv.hpp"
#include "io/format.hpp"
#include "io/npy.hpp"
#include "io/npz_writer.hpp"
#include "io/safetensors.hpp"

namespace paco::io {
namespace {

using Ids = std::vector<std::string>;

Error too_large(const std::string& path, std::uint64_t row, ElementType type) {
  return Error{ErrorCode::bad_value,
               fmt::format("{}: a value at or after row {} is too large for {}", path, row,
                           element_name(type)),
               "write float32, or npy with float64"};
}

class NpyEmbeddings final : public EmbeddingWriter {
 public:
  explicit NpyEmbeddings(NpyWriter writer) : writer_(std::move(writer)) {}
  Result<void> append(Rows<const double> block, const Ids&) override {
    return writer_.append({block.data, block.rows * block.columns});
  }
  Result<void> commit() override { return writer_.commit(); }

 private:
  NpyWriter writer_;
};

// npz and safetensors: all bytes are kept until the end.
template <class Writer>
class CollectedEmbeddings final : public EmbeddingWriter {
 public:
  CollectedEmbeddings(std::string path, std::size_t dimension, ElementType type)
      : path_(std::move(path)), dimension_(dimension), type_(type) {}

  Result<void> append(Rows<const double> block, const Ids&) override {
    const std::size_t count = block.rows * block.columns, done = bytes_.size();
    bytes_.resize(done + count * element_size(type_));
    if (!from_doubles(type_, {block.data, count}, bytes_.data() + done))
      return too_large(path_, rows_, type_);
    rows_ += block.rows;
    return {};
  }
  Result<void> commit() override {
    const std::vector<std::uint64_t> shape = {rows_, dimension_};
    Writer writer;
    writer.add("embeddings", type_, shape, bytes_);
    return writer.write(path_);
  }

 private:
  std::string path_;
  std::size_t dimension_;
  ElementType type_;
  std::vector<std::byte> bytes_;
  std::uint64_t rows_ = 0;
};

class FvecsEmbeddings final : public EmbeddingWriter {
 public:
  explicit FvecsEmbeddings(core::AtomicFile file) : file_(std::move(file)) {}
  Result<void> append(Rows<const double> block, const Ids&) override {
    const auto dimension = static_cast<std::uint32_t>(block.columns);
    row_.resize(4 * block.columns);
    for (std::size_t r = 0; r < block.rows; ++r, ++rows_) {
      if (!from_doubles(ElementType::f32, block[r], row_.data()))
        return too_large(file_.path(), rows_, ElementType::f32);
      PACO_TRY(file_.write(std::as_bytes(std::span(&dimension, 1))));
      PACO_TRY(file_.write(row_));
    }
    return {};
  }
  Result<void> commit() override { return file_.commit(); }

 private:
  core::AtomicFile file_;
  std::vector<std::byte> row_;
  std::uint64_t rows_ = 0;
};

// csv and jsonl. fmt prints the shortest digits that read back as the same double, in every locale.
class TextEmbeddings final : public EmbeddingWriter {
 public:
  TextEmbeddings(core::AtomicFile file, bool json) : file_(std::move(file)), json_(json) {}

  Result<void> append(Rows<const double> block, const Ids& ids) override {
    assert(ids.empty() || ids.size() == block.rows);
    std::string text;
    if (!json_ && first_ && !ids.empty()) write_header(block.columns, text);
    first_ = false;
    for (std::size_t r = 0; r < block.rows; ++r) {
      if (json_) {
        // Ids may contain invalid UTF-8, but JSON must be valid; invalid bytes are replaced by a
        // mark.
        text += ids.empty()
                    ? "{\"embedding\":["
                    : fmt::format("{{\"id\":{},\"embedding\":[",
                                  nlohmann::json(ids[r]).dump(
                                      -1, ' ', false, nlohmann::json::error_handler_t::replace));
      } else if (!ids.empty()) {
        text += csv_field(ids[r]) + ",";
      }
      for (std::size_t c = 0; c < block.columns; ++c) {
        fmt::format_to(std::back_inserter(text), "{}{}", c == 0 ? "" : ",", block[r][c]);
      }
      text += json_ ? "]}\n" : "\n";
    }
    return file_.write(text);
  }
  Result<void> commit() override { return file_.commit(); }

 private:
  static void write_header(std::size_t columns, std::string& text) {
    text += "id";
    for (std::size_t c = 0; c < columns; ++c) fmt::format_to(std::back_inserter(text), ",x{}", c);
    text += '\n';
  }

  core::AtomicFile file_;
  bool json_;
  bool first_ = true;
};

}  // namespace

EmbeddingWriterResult create_npy_embeddings(const std::string& path, std::size_t dimension,
                                            ElementType type) {
  PACO_ASSIGN(auto writer, NpyWriter::create(path, type, {dimension}));
  return EmbeddingWriterResult(std::make_unique<NpyEmbeddings>(std::move(writer)));
}

EmbeddingWriterResult create_npz_embeddings(const std::string& path, std::size_t dimension,
                                            ElementType type) {
  return EmbeddingWriterResult(
      std::make_unique<CollectedEmbeddings<NpzWriter>>(path, dimension, type));
}

EmbeddingWriterResult create_safetensors_embeddings(const std::string& path, std::size_t dimension,
                                                    ElementType type) {
  return EmbeddingWriterResult(
      std::make_unique<CollectedEmbeddings<SafetensorsWriter>>(path, dimension, type));
}

EmbeddingWriterResult create_csv_embeddings(const std::string& path, std::size_t, ElementType) {
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  return EmbeddingWriterResult(std::make_unique<TextEmbeddings>(std::move(file), false));
}

EmbeddingWriterResult create_jsonl_embeddings(const std::string& path, std::size_t, ElementType) {
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  return EmbeddingWriterResult(std::make_unique<TextEmbeddings>(std::move(file), true));
}

EmbeddingWriterResult create_fvecs_embeddings(const std::string& path, std::size_t, ElementType) {
  PACO_ASSIGN(auto file, core::AtomicFile::create(path));
  return EmbeddingWriterResult(std::make_unique<FvecsEmbeddings>(std::move(file)));
}

EmbeddingWriterResult create_embeddings(const std::string& path, std::size_t dimension,
                                        ElementType type) {
  assert(type == ElementType::f16 || type == ElementType::f32 || type == ElementType::f64);
  PACO_ASSIGN(const Format* format,
              format_to_write(path, "embeddings", [](const Format& candidate) {
                return candidate.write_embeddings != nullptr;
              }));
  return format->write_embeddings(path, dimension, type);
}

}  // namespace paco::io
