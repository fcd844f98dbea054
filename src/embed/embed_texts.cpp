#include "embed/embed_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/try.hpp"
#include "embed/parted_output.hpp"
#include "embed/weights/file_hash.hpp"
#include "math/matrix.hpp"

namespace paco::embed {
namespace {

constexpr std::size_t kTextBlock = 256;  // at most a second of work between progress updates

// Identifies the run that a part belongs to: the same encoder and texts.
std::string identity_of(std::span<const std::string> texts, const TextEncoder& encoder) {
  const EmbeddingRecord& record = encoder.record();
  std::string all = fmt::format("{} {} {} {}", record.encoder, record.weights, record.preprocessing,
                                record.precision);
  for (const std::string& text : texts) all += text_sha256(text);
  return text_sha256(all);
}

}  // namespace

Result<EncodedTexts> embed_texts(std::span<const std::string> texts, TextEncoder& encoder,
                                 const TextSink& sink, core::Progress& progress,
                                 std::stop_token stop) {
  EncodedTexts report;
  progress.start("embed", "texts", texts.size());
  for (std::size_t first = 0; first < texts.size(); first += kTextBlock) {
    const auto block = texts.subspan(first, std::min(kTextBlock, texts.size() - first));
    math::Matrix<float> rows(block.size(), encoder.dimension());
    PACO_ASSIGN(const EncodedTexts done, encoder.encode(block, rows.view(), stop));
    for (const std::size_t text : done.empty) report.empty.push_back(first + text);
    for (const std::size_t text : done.cut) report.cut.push_back(first + text);
    PACO_TRY(sink(first, rows.view(), done));
    progress.update(first + block.size());
  }
  progress.finish();
  return report;
}

Result<EmbedReport> embed_texts_to_file(std::span<const std::string> texts, TextEncoder& encoder,
                                        EmbedFileOptions options, core::Progress& progress,
                                        std::stop_token stop) {
  options.record = encoder.record();
  PartedOutput output({"texts", identity_of(texts, encoder), encoder.dimension(), texts.size(),
                       kTextBlock, [](std::size_t text) { return std::to_string(text); }},
                      options);
  PACO_ASSIGN(const std::size_t done, output.begin());
  ProgressOfRest rest(progress, done, texts.size());
  const auto sink = [&](std::size_t first, Rows<const float> rows, const EncodedTexts& block) {
    std::vector<std::size_t> samples(rows.rows), cut;
    std::iota(samples.begin(), samples.end(), done + first);
    for (const std::size_t text : block.cut) cut.push_back(done + first + text);
    return output.take(rows, samples, {}, cut);
  };
  const auto embedded = embed_texts(texts.subspan(done), encoder, sink, rest, std::move(stop));
  return embedded.ok() ? output.join() : output.stop(embedded.error());
}

}  // namespace paco::embed
