#include "embed/embed_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/try.hpp"
#include "io/embedding_record.hpp"
#include "io/embedding_writer.hpp"
#include "math/matrix.hpp"

namespace paco::embed {
namespace {

constexpr std::size_t kTextBlock = 256;  // a second of work at most, between two signs of life

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
    PACO_TRY(sink(first, rows.view()));
    progress.update(first + block.size());
  }
  progress.finish();
  return report;
}

Result<EncodedTexts> embed_texts_to_file(std::span<const std::string> texts, TextEncoder& encoder,
                                         const std::string& out, core::Progress& progress,
                                         std::stop_token stop) {
  PACO_ASSIGN(const auto writer, io::create_embeddings(out, encoder.dimension()));
  const auto sink = [&](std::size_t first, Rows<const float> rows) {
    const std::vector<double> wide(rows.data, rows.data + rows.rows * rows.columns);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < rows.rows; ++i) names.push_back(fmt::format("{}", first + i));
    return writer->append(Rows<const double>{wide.data(), rows.rows, rows.columns}, names);
  };
  PACO_ASSIGN(EncodedTexts report, embed_texts(texts, encoder, sink, progress, std::move(stop)));
  PACO_TRY(io::write_embedding_record(encoder.record(), out));
  PACO_TRY(writer->commit());
  return report;
}

}  // namespace paco::embed
