#include "shared/text_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/try.hpp"
#include "embed/embed_texts.hpp"
#include "embed/models/model_table.hpp"
#include "embed/text/text_rows.hpp"
#include "io/label_writer.hpp"
#include "io/npy.hpp"
#include "server/embedding_queue.hpp"
#include "shared/send_blocks.hpp"

namespace paco {
namespace {

constexpr std::size_t kSkippedNamed = 5;  // texts listed individually in a note

// Data for the notes after embedding.
struct EmbeddedTexts {
  std::vector<std::size_t> cut;
  std::size_t resumed = 0;
};

Result<EmbeddedTexts> texts_to_stdout(Context& context, const embed::TextRows& rows,
                                      embed::TextEncoder& encoder) {
  const std::uint64_t shape[] = {rows.texts.size(), encoder.dimension()};
  PACO_TRY(write_stdout(context, io::npy_header(io::ElementType::f32, shape)));
  const auto sink = [&](std::size_t, Rows<const float> block, const embed::EncodedTexts&) {
    return write_stdout(context, {reinterpret_cast<const char*>(block.data),
                                  block.rows * block.columns * sizeof(float)});
  };
  PACO_ASSIGN(embed::EncodedTexts encoded,
              embed::embed_texts(rows.texts, encoder, sink, *context.progress, context.stop));
  return EmbeddedTexts{std::move(encoded.cut), 0};
}

Result<EmbeddedTexts> texts_to_file(Context& context, const embed::TextRows& rows,
                                    embed::TextEncoder& encoder, const TextSetOutputs& outputs) {
  embed::EmbedFileOptions options;
  options.out = outputs.embeddings;
  options.resume = outputs.resume;
  options.clock = context.clock;
  auto done =
      embed::embed_texts_to_file(rows.texts, encoder, options, *context.progress, context.stop);
  if (!done.ok() && done.error().code == ErrorCode::interrupted)
    print_note(fmt::format("{}; {}", done.error().message, done.error().hint));
  PACO_ASSIGN(embed::EmbedReport report, std::move(done));
  return EmbeddedTexts{std::move(report.cut), report.resumed};
}

void note_texts(const embed::TextRows& rows, const std::vector<std::size_t>& cut,
                std::size_t most_tokens) {
  for (std::size_t i = 0; i < std::min(rows.skipped.size(), kSkippedNamed); ++i)
    print_note("skipped: " + rows.skipped[i].error.message);
  if (rows.skipped.size() > kSkippedNamed)
    print_note(fmt::format("and {} more texts that cannot be embedded",
                           rows.skipped.size() - kSkippedNamed));
  if (!cut.empty())
    print_note(
        fmt::format("{} texts are longer than the {} tokens that the encoder sees of each; "
                    "the first is row {}",
                    cut.size(), most_tokens, rows.rows[cut.front()]));
}

}  // namespace

Result<TextInput> open_text_input(Context& context, const TextSet& set, const std::string& encoder,
                                  const Model& model) {
  EncoderOptions options;
  options.encoder = encoder;
  options.settings.threads = 0;
  if (encoder.empty() && model.embedding && embed::find_published(model.embedding->encoder))
    options.encoder = model.embedding->encoder;
  if (options.encoder.empty())
    return Error{ErrorCode::bad_argument, "the model does not know where its encoder is",
                 "name it with --encoder"};
  PACO_ASSIGN(const embed::TextRows rows,
              embed::read_text_rows(set.file, {set.column, set.label_column}));
  if (set.strict && !rows.skipped.empty()) return rows.skipped.front().error;
  PACO_ASSIGN(const Encoder opened, open_text_encoder(options));
  PACO_TRY(check_embedding(model, opened.record, set.file));
  const std::uint64_t shape[] = {rows.texts.size(), opened.texts->dimension()};
  const std::string head = io::npy_header(io::ElementType::f32, shape);
  const auto whole = std::as_bytes(std::span(head));
  auto bytes = std::make_shared<std::vector<std::byte>>(whole.begin(), whole.end());
  const auto sink = [&](std::size_t, Rows<const float> block,
                        const embed::EncodedTexts&) -> Result<void> {
    const auto part = std::as_bytes(std::span(block.data, block.rows * block.columns));
    bytes->insert(bytes->end(), part.begin(), part.end());
    return {};
  };
  PACO_ASSIGN(const embed::EncodedTexts encoded,
              embed::embed_texts(rows.texts, *opened.texts, sink, *context.progress, context.stop));
  note_texts(rows, encoded.cut, opened.texts->spec().most_tokens);
  TextInput out{bytes, nullptr, {}, {}};
  PACO_ASSIGN(out.source, io::open_embeddings(*bytes, set.file));
  std::map<std::string, int> seen;
  for (const std::string& text : rows.texts) {
    out.keys.push_back(text_key(text, seen));
    server::keep_text(text, out.attributes.emplace_back());
  }
  return out;
}

Result<void> embed_text_set(Context& context, const TextSet& set, const EncoderOptions& options,
                            const TextSetOutputs& outputs) {
  PACO_ASSIGN(const embed::TextRows rows,
              embed::read_text_rows(set.file, {set.column, set.label_column}));
  if (set.strict && !rows.skipped.empty()) return rows.skipped.front().error;
  if (!outputs.labels.empty() && rows.labels.empty())
    return Error{ErrorCode::bad_argument, "--labels-out without --label-column",
                 fmt::format("say which column of {} holds the classes", set.file)};
  PACO_ASSIGN(const Encoder encoder, open_text_encoder(options));
  const bool pipe = outputs.embeddings == "-";
  const double start = context.clock();
  auto embedded = pipe ? texts_to_stdout(context, rows, *encoder.texts)
                       : texts_to_file(context, rows, *encoder.texts, outputs);
  PACO_ASSIGN(const EmbeddedTexts encoded, std::move(embedded));
  const double seconds = context.clock() - start;
  if (!outputs.labels.empty()) PACO_TRY(io::write_labels(outputs.labels, rows.labels));
  if (!outputs.numbers.empty()) {
    const std::vector<std::int64_t> numbers(rows.rows.begin(), rows.rows.end());
    const std::uint64_t shape[] = {numbers.size()};
    PACO_TRY(io::write_npy<std::int64_t>(outputs.numbers, shape, numbers));
  }
  note_texts(rows, encoded.cut, encoder.texts->spec().most_tokens);
  if (pipe) return {};
  const double rate =
      static_cast<double>(rows.texts.size() - encoded.resumed) / std::max(seconds, 1e-9);
  Json json{{"texts", rows.texts.size()},
            {"dimension", encoder.texts->dimension()},
            {"skipped", rows.skipped.size()},
            {"skipped_texts", Json::array()},
            {"cut", encoded.cut.size()},
            {"resumed", encoded.resumed},
            {"seconds", seconds},
            {"texts_per_second", rate},
            {"out", outputs.embeddings}};
  for (const embed::SkippedText& text : rows.skipped)
    json["skipped_texts"].push_back({{"row", text.row}, {"error", text.error.message}});
  return print_result(context, json,
                      fmt::format("{}: {} embeddings of {} numbers, {} texts skipped, {:.0f} "
                                  "texts/s\n",
                                  outputs.embeddings, rows.texts.size(), encoder.texts->dimension(),
                                  rows.skipped.size(), rate));
}

}  // namespace paco
