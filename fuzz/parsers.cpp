#include "parsers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/try.hpp"
#include "data/array_file.hpp"
#include "data/embedding_sources.hpp"
#include "data/embeddings.hpp"
#include "data/image_codec.hpp"
#include "data/image_sources.hpp"
#include "data/labels.hpp"

namespace paco::fuzz {
namespace {

// What came out must keep the promises of its header; a broken one stops the fuzzer.
void require(bool promise) {
  if (!promise) __builtin_trap();
}

Result<void> read_all(EmbeddingResult opened) {
  if (!opened.ok()) return opened.error();
  EmbeddingSource& source = **opened;
  const std::size_t columns = source.dimension();
  Matrix<double> block(std::max<std::size_t>(1, 4096 / columns), columns);
  std::vector<std::string> ids;
  std::uint64_t rows = 0;
  while (true) {
    PACO_ASSIGN(const std::size_t count, source.read(block.view(), &ids));
    require(count <= block.rows() && (ids.empty() || ids.size() == count));
    for (std::size_t i = 0; i < count * columns; ++i) require(std::isfinite(block.data()[i]));
    rows += count;
    if (count < block.rows()) break;
  }
  require(!source.rows() || *source.rows() == rows);
  return {};
}

Result<void> read_arrays(std::span<const std::byte> bytes, FileFormat format) {
  PACO_ASSIGN(const auto file, ArrayFile::open({bytes, nullptr, {}}, format, "input"));
  for (const std::string& name : file.names()) {
    PACO_ASSIGN(auto array, file.array(name));
    if (array.header.shape.size() == 2)
      PACO_TRY(read_all(make_dense_source(std::move(array.stream), array.header, {})));
  }
  return {};
}

Result<void> load_all(ImageResult opened) {
  if (!opened.ok()) return opened.error();
  const ImageSource& source = **opened;
  for (std::size_t i = 0; i < source.size(); ++i) {
    require(source.label(i) < static_cast<std::int64_t>(source.class_names().size()));
    PACO_ASSIGN(const Image image, source.load(i));
    require(image.pixels.size() == image.width * image.height * image.channels);
  }
  return {};
}

Result<void> decode(std::span<const std::byte> bytes,
                    Result<Image> (*decoder)(std::span<const std::byte>, const std::string&)) {
  PACO_ASSIGN(const Image image, decoder(bytes, "input"));
  require(image.pixels.size() == image.width * image.height * 3);
  return {};
}

Result<void> read_label_file(std::span<const std::byte> bytes) {
  PACO_ASSIGN(const Labels labels, parse_labels(bytes, "input"));
  for (const std::int64_t id : labels.ids)
    require(id >= 0 && static_cast<std::size_t>(id) < labels.names.size());
  return {};
}

}  // namespace

Result<void> parse_as(std::string_view parser, std::span<const std::byte> bytes) {
  const auto stream = [&] { return ByteStream::from_bytes(bytes, "input"); };
  const SharedBytes shared{bytes, nullptr, {}};
  if (parser == "npy") return read_all(open_embeddings(bytes, "input"));
  if (parser == "npz") return read_arrays(bytes, FileFormat::zip);
  if (parser == "safetensors") return read_arrays(bytes, FileFormat::safetensors);
  if (parser == "csv") return read_all(make_csv_source(stream()));
  if (parser == "jsonl") return read_all(make_jsonl_source(stream()));
  if (parser == "fvecs") return read_all(make_fvecs_source(stream()));
  if (parser == "labels") return read_label_file(bytes);
  if (parser == "tar") return load_all(open_image_tar(shared, "input"));
  if (parser == "idx") return load_all(open_idx(shared, "input", {}, "", {}));
  if (parser == "cifar")
    return load_all(make_cifar({shared}, {"input"}, bytes.size() % 3074 == 0, {}));
  if (parser == "jpeg") return decode(bytes, decode_jpeg);
  if (parser == "png") return decode(bytes, decode_png);
  assert(parser == "webp");
  return decode(bytes, decode_webp);
}

}  // namespace paco::fuzz
