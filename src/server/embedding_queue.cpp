#include "server/embedding_queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "core/try.hpp"
#include "embed/embedder.hpp"
#include "embed/images/centre_batch.hpp"
#include "embed/images/exif.hpp"
#include "embed/images/image_codec.hpp"
#include "embed/text/text_encoder.hpp"
#include "math/matrix.hpp"
#include "report/thumbnail.hpp"

namespace paco::server {
namespace {

constexpr std::size_t kPictureSide = 640;  // pixels; of the picture kept for display
constexpr int kPictureQuality = 80;

BadSample fault_of(std::size_t row, const Error& error) {
  return {{error.code, fmt::format("sample {}: {}", row, error.message), error.hint}, row};
}

Result<std::string> picture_of(const embed::Image& image) {
  PACO_ASSIGN(const report::Thumbnail small,
              report::make_thumbnail(image, kPictureSide, kPictureQuality));
  const std::string_view uri = small.uri;
  return from_base64(uri.substr(uri.find(',') + 1)).value_or("");
}

// Adds an attribute to a sample, unless the sample has one of that name.
void keep(const char* name, std::string text, std::string& attributes) {
  using Fields = nlohmann::ordered_json;
  Fields fields = attributes.empty() ? Fields::object() : Fields::parse(attributes, nullptr, false);
  if (text.empty() || !fields.is_object() || fields.contains(name)) return;
  fields[name] = std::move(text);
  attributes = fields.dump(-1, ' ', false, Fields::error_handler_t::replace);
}

// When and where a camera took the picture, if the file has that data.
void keep_notes(const std::string& file, std::string& attributes) {
  const embed::ExifNotes notes = embed::exif_notes(embed::exif_of(std::as_bytes(std::span(file))));
  keep("taken", notes.taken, attributes);
  keep("place", notes.place, attributes);
}

}  // namespace

void keep_text(std::string text, std::string& attributes) {
  const std::size_t most = SampleLimits{}.kept_text;
  if (text.size() > most) {
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text = text.substr(0, end) + "…";
  }
  keep("text", std::move(text), attributes);
}

Result<std::string> small_picture(std::span<const std::byte> file, const std::string& name) {
  PACO_ASSIGN(const embed::Image image, embed::decode_reduced(file, name, kPictureSide));
  return picture_of(image);
}

EmbeddingQueue::EmbeddingQueue(std::unique_ptr<embed::ImageEmbedder> embedder,
                               EmbeddingRecord record)
    : embedder_(std::move(embedder)), record_(std::move(record)) {}
EmbeddingQueue::EmbeddingQueue(std::unique_ptr<embed::TextEncoder> encoder, EmbeddingRecord record)
    : texts_(std::move(encoder)), record_(std::move(record)) {}
EmbeddingQueue::~EmbeddingQueue() = default;

std::optional<BadSample> EmbeddingQueue::embed(Samples& samples, std::size_t first) {
  const std::size_t last = std::min(samples.rows, first + kTogether);
  try {
    return takes_texts() ? embed_texts(samples, first, last) : embed_some(samples, first, last);
  } catch (const std::bad_alloc&) {
    return BadSample{{ErrorCode::out_of_memory, "not enough memory for the images or texts",
                      "send fewer or smaller ones at once"},
                     std::nullopt};
  }
}

std::optional<BadSample> EmbeddingQueue::embed_texts(Samples& samples, std::size_t first,
                                                     std::size_t last) {
  std::vector<std::size_t> rows;
  std::vector<std::string> texts;
  for (std::size_t row = first; row < last; ++row) {
    if (samples.texts[row].empty()) continue;  // the sample has an embedding
    rows.push_back(row);
    texts.push_back(std::move(samples.texts[row]));
  }
  math::Matrix<float> embeddings(texts.size(), record_.dimension);
  if (const auto done = texts_->encode(texts, embeddings.view()); !done.ok())
    return BadSample{done.error(), std::nullopt};
  samples.attributes.resize(samples.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(
        embeddings[i].begin(), embeddings[i].end(),
        samples.embeddings.begin() + static_cast<std::ptrdiff_t>(rows[i] * samples.dimension));
    keep_text(texts[i], samples.attributes[rows[i]]);
  }
  return std::nullopt;
}

std::optional<BadSample> EmbeddingQueue::embed_some(Samples& samples, std::size_t first,
                                                    std::size_t last) {
  samples.attributes.resize(samples.rows);
  embed::CentreBatch centres(embedder_->spec().input, last - first);
  for (std::size_t row = first; row < last; ++row) {
    std::string& file = samples.images[row];
    if (file.empty()) continue;  // the sample has an embedding
    const auto image = embed::decode_image(std::as_bytes(std::span(file)), "the image");
    if (!image.ok()) return fault_of(row, image.error());
    centres.add(*image, row);
    if (samples.pictures[row].empty()) {
      auto picture = picture_of(*image);
      if (!picture.ok()) return fault_of(row, picture.error());
      samples.pictures[row] = std::move(*picture);
    }
    keep_notes(file, samples.attributes[row]);
    file = {};
  }
  const embed::Batch& batch = centres.batch();
  math::Matrix<float> embeddings(batch.samples.size(), record_.dimension);
  if (const auto done = embedder_->embed(batch, embeddings.view()); !done.ok())
    return BadSample{done.error(), std::nullopt};
  for (std::size_t i = 0; i < batch.samples.size(); ++i)
    std::copy(embeddings[i].begin(), embeddings[i].end(),
              samples.embeddings.begin() +
                  static_cast<std::ptrdiff_t>(batch.samples[i] * samples.dimension));
  return std::nullopt;
}

}  // namespace paco::server
