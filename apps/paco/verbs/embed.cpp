// `paco embed`: images or texts in, embeddings out.
#include <fmt/format.h>

#include <numeric>

#include "cli/verb.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "embed/embed_images.hpp"
#include "embed/images/images.hpp"
#include "io/label_writer.hpp"
#include "io/npy.hpp"
#include "shared/encoder.hpp"
#include "shared/loader_option.hpp"
#include "shared/text_set.hpp"

namespace paco {
namespace {

constexpr std::size_t kSkippedShown = 5;  // images that are named one by one in a note

struct EmbedArguments {
  EncoderOptions encoder;
  TextSet texts;
  std::string data, index, out, labels_out, index_out, classifier_out;
  embed::EmbedFileOptions run;
  embed::ImageLoader loader = embed::ImageLoader::upright;
};

// Which samples to embed: all, or those that the index file lists.
Result<std::vector<std::size_t>> read_order(const EmbedArguments& s,
                                            const embed::ImageSource& source) {
  std::vector<std::size_t> order(source.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (s.index.empty()) return order;
  PACO_ASSIGN(const auto index, io::read_npy<std::int64_t>(s.index));
  order.clear();
  for (const std::int64_t sample : index.data) {
    if (sample < 0 || static_cast<std::uint64_t>(sample) >= source.size())
      return Error{ErrorCode::bad_value,
                   fmt::format("{}: entry {} is {}, the data set has {} images", s.index,
                               order.size(), sample, source.size()),
                   "an index holds numbers of images, from 0 on"};
    order.push_back(static_cast<std::size_t>(sample));
  }
  return order;
}

Result<void> write_labels_and_index(const EmbedArguments& s, const embed::ImageSource& source,
                                    const embed::EmbedReport& report) {
  if (!s.labels_out.empty()) {
    std::vector<std::string> names;
    for (const std::size_t sample : report.samples) {
      const std::int64_t label = source.label(sample);
      names.push_back(label < 0 ? "" : source.class_names().at(static_cast<std::size_t>(label)));
    }
    PACO_TRY(io::write_labels(s.labels_out, names));
  }
  if (s.index_out.empty()) return {};
  const std::vector<std::int64_t> samples(report.samples.begin(), report.samples.end());
  const std::uint64_t shape[] = {samples.size()};
  return io::write_npy<std::int64_t>(s.index_out, shape, samples);
}

Result<void> write_classifier(const EmbedArguments& s, const embed::ImageEmbedder& embedder) {
  const math::Matrix<float>& weights = embedder.classifier();
  if (weights.rows() == 0)
    return Error{ErrorCode::not_found, "there is no trained classifier to export",
                 "--classifier-out goes with --model RUN, a run of paco train"};
  const std::uint64_t shape[] = {weights.rows(), weights.columns()};
  return io::write_npy<float>(s.classifier_out, shape,
                              {weights.data(), weights.rows() * weights.columns()});
}

// npy begins with the number of rows, so with a pipe every image must be readable.
Result<embed::EmbedReport> embed_to_stdout(Context& context, const EmbedArguments& s,
                                           const embed::ImageSource& source,
                                           const std::vector<std::size_t>& order,
                                           embed::ImageEmbedder& embedder) {
  embed::EmbedOptions options = s.run;
  options.strict = true;
  const std::uint64_t shape[] = {order.size(),
                                 static_cast<std::uint64_t>(embedder.spec().embedding())};
  PACO_TRY(write_stdout(context, io::npy_header(io::ElementType::f32, shape)));
  const auto sink = [&](const embed::Batch&, Rows<const float> rows) {
    return write_stdout(context, {reinterpret_cast<const char*>(rows.data),
                                  rows.rows * rows.columns * sizeof(float)});
  };
  return embed::embed_images(source, order, embedder, options, sink, *context.progress,
                             context.stop);
}

void note_skipped(const embed::EmbedReport& report) {
  const std::size_t count = report.skipped.size();
  for (std::size_t i = 0; i < std::min(count, kSkippedShown); ++i) {
    const embed::SkippedImage& image = report.skipped[i];
    print_note(fmt::format("skipped {}: {}", image.name, image.error.message));
  }
  if (count > kSkippedShown)
    print_note(fmt::format("and {} more images that could not be read", count - kSkippedShown));
}

// Refuses options that do not apply to the kind of input.
Result<void> check(const EmbedArguments& s) {
  if (s.data.empty() == s.texts.file.empty())
    return Error{ErrorCode::bad_argument, "embed needs images or texts, and not both",
                 "give --data with images, or --texts FILE"};
  const bool images = !s.data.empty();
  const auto refused = [](const char* option, const char* kind) {
    return Error{ErrorCode::bad_argument, fmt::format("{} goes with {}", option, kind),
                 "leave it out"};
  };
  if (images && !s.texts.column.empty()) return refused("--column", "--texts");
  if (images && !s.texts.label_column.empty()) return refused("--label-column", "--texts");
  if (!images && !s.index.empty()) return refused("--index", "images");
  if (!images && !s.classifier_out.empty()) return refused("--classifier-out", "images");
  if (s.out == "-") return {};
  return io::check_label_file(s.labels_out);
}

Result<void> run_images(Context& context, EmbedArguments& s) {
  const bool pipe = s.out == "-";
  s.run.out = s.out;
  PACO_ASSIGN(const auto source, embed::open_images(s.data));
  source->set_loader(s.loader);
  PACO_ASSIGN(const auto order, read_order(s, *source));
  if (order.empty())
    return Error{ErrorCode::bad_value, fmt::format("{}: there is no image to embed", s.data),
                 "see --data in paco embed --help for the kinds of data sets"};
  PACO_ASSIGN(const Encoder encoder, open_image_encoder(s.encoder, context.torch));
  const auto& embedder = encoder.images;
  s.run.record = encoder.record;
  if (s.run.record && s.loader == embed::ImageLoader::literature)
    s.run.record->preprocessing += ", loader of the literature";
  if (!embedder->ignored_tensors().empty())
    print_note(fmt::format("{}: {} tensors of a classifier are not used ({}, ...)",
                           s.encoder.encoder, embedder->ignored_tensors().size(),
                           embedder->ignored_tensors().front()));
  if (!s.classifier_out.empty()) PACO_TRY(write_classifier(s, *embedder));

  const double start = context.clock();
  auto embedded = pipe ? embed_to_stdout(context, s, *source, order, *embedder)
                       : embed::embed_to_file(*source, order, *embedder, s.run, *context.progress,
                                              context.stop);
  if (!embedded.ok() && embedded.error().code == ErrorCode::interrupted && !pipe)
    print_note(fmt::format("{}; {}", embedded.error().message, embedded.error().hint));
  PACO_ASSIGN(const embed::EmbedReport report, std::move(embedded));
  const double seconds = context.clock() - start;
  PACO_TRY(write_labels_and_index(s, *source, report));
  note_skipped(report);
  if (pipe) return {};
  const double rate =
      static_cast<double>(report.samples.size() - report.resumed) / std::max(seconds, 1e-9);
  Json json;
  json["images"] = report.samples.size();
  json["dimension"] = embedder->spec().embedding();
  json["skipped"] = report.skipped.size();
  json["skipped_images"] = Json::array();
  for (const embed::SkippedImage& image : report.skipped)
    json["skipped_images"].push_back(
        {{"sample", image.sample}, {"name", image.name}, {"error", image.error.message}});
  json["resumed"] = report.resumed;
  json["seconds"] = seconds;
  json["images_per_second"] = rate;
  json["out"] = s.out;
  return print_result(
      context, json,
      fmt::format("{}: {} embeddings of {} numbers, {} images skipped, {:.1f} images/s\n", s.out,
                  report.samples.size(), embedder->spec().embedding(), report.skipped.size(),
                  rate));
}

Result<void> run(Context& context, EmbedArguments& s) {
  PACO_TRY(check(s));
  if (s.out == "-" && (context.json || s.run.resume))
    return Error{ErrorCode::bad_argument, "--out - leaves no room for --json or --resume",
                 "name a file with --out"};
  PACO_TRY(check_outputs({{"--weights", s.encoder.weights},
                          {"--data", s.data},
                          {"--texts", s.texts.file},
                          {"--index", s.index}},
                         {{"--out", unless_stdout(s.out)},
                          {"--labels-out", s.labels_out},
                          {"--index-out", s.index_out},
                          {"--classifier-out", s.classifier_out}}));
  if (s.run.threads == 0) s.run.threads = core::available_threads();
  s.encoder.settings.threads = s.run.threads;
  if (s.data.empty()) {
    s.texts.strict = s.run.strict;
    return embed_text_set(context, s.texts, s.encoder,
                          {s.out, s.labels_out, s.index_out, s.run.resume});
  }
  // On a CPU leave the cores to the network: decoding an image takes a tenth of the time of
  // embedding it, and runs in parallel.
  if (s.encoder.settings.device == "cpu") s.run.threads = (s.run.threads + 3) / 4;
  return run_images(context, s);
}

}  // namespace

void add_embed(Options& verb, Context& context) {
  verb.about(
      "Turn images or texts into embeddings.\n"
      "Beside OUT stands OUT.json, the record of what made them: 'calibrate' keeps it in the "
      "model, and\n"
      "embeddings that were made otherwise are refused. An interrupted run leaves what it "
      "has in\n"
      "OUT.part-000000, ...; the same command with --resume goes on from there and ends with the "
      "same bytes.");
  auto s = std::make_shared<EmbedArguments>();
  s->run.threads = 0;
  s->encoder.fresh_weights = true;
  add_loader(verb, s->loader);
  verb.add_text("--data", s->data,
                "images: folder:PATH, tar:PATH, idx:IMAGES[,LABELS], cifar10:PATH, cifar100:PATH, "
                "fashion-mnist");
  verb.add_text("--texts", s->texts.file, "in their place: a .csv, .tsv, .jsonl or .txt file");
  verb.add_text("--column", s->texts.column, "the column or key of the texts")
      .shown_default("text, or the only column");
  verb.add_text("--label-column", s->texts.label_column, "that of their classes");
  add_encoder(verb, s->encoder, "what embeds");
  verb.add_text("--index", s->index,
                "npy file with the numbers of the images to embed, in that order");
  verb.add_text("--out", s->out,
                ".npy, .safetensors, .npz, .csv, .jsonl or .fvecs file, or - for npy to a pipe")
      .required();
  verb.add_text("--labels-out", s->labels_out,
                ".npy or .txt file for the class of every row, by name (empty: none)");
  verb.add_text("--index-out", s->index_out,
                "npy file for the number of every row's image or text");
  verb.add_text("--classifier-out", s->classifier_out,
                "npy file for the run's trained class weights, for paco calibrate --classifier");
  verb.add_text("--device", s->encoder.settings.device, "cpu, cuda or cuda:N");
  add_count(verb, "--batch", s->run.batch, 1, 65536, "images that the network sees at once");
  add_threads(verb, s->run.threads, "that decode, and on a CPU compute");
  verb.add_flag("--strict", s->run.strict,
                "stop at an image or text that cannot be read instead of skipping it");
  verb.add_flag("--resume", s->run.resume,
                "go on where an interrupted run of this command stopped");
  verb.set_needs_torch([s] { return encoder_needs_torch(s->encoder); });
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
