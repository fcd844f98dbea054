// `paco embed`: images in, embeddings out.
#include <fmt/format.h>

#include <numeric>

#include "core/threads.hpp"
#include "core/try.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/embed_images.hpp"
#include "embed/images/images.hpp"
#include "io/npy.hpp"
#include "verb.hpp"
#include "with_torch.hpp"

namespace paco {
namespace {

constexpr std::size_t kSkippedShown = 5;  // images that are named one by one in a note

struct EmbedArguments {
  std::string model, backbone, weights, normalise = "imagenet";
  int input = 0;
  std::string data, index, out, labels_out, index_out, classifier_out;
  embed::EmbedderSettings embedder;
  embed::EmbedFileOptions run;
};

Result<std::unique_ptr<embed::ImageEmbedder>> open_embedder(const EmbedArguments& s) {
  if (s.model.empty() == s.backbone.empty())
    return Error{ErrorCode::bad_argument, "embed needs a trained run or a backbone, and not both",
                 "give --model RUN, or --backbone NAME with --weights FILE"};
  const bool on_cpu = s.embedder.device == "cpu";
  if (!s.model.empty())
    return on_cpu ? embed::open_cpu_run(s.model, s.embedder)
                  : with_torch::open_run(s.model, s.embedder);
  PACO_ASSIGN(embed::NetSpec spec, embed::make_spec(s.backbone, s.input));
  PACO_ASSIGN(spec.normalisation, embed::parse_normalisation(s.normalise));
  if (!on_cpu) return with_torch::open_backbone(spec, s.weights, s.embedder);
  if (s.weights.empty()) return embed::open_cpu_backbone(spec, "", s.embedder);
  PACO_ASSIGN(const bool script, embed::is_torchscript_file(s.weights));
  if (!script) return embed::open_cpu_backbone(spec, s.weights, s.embedder);
  PACO_ASSIGN(const embed::StateDict tensors, with_torch::read_torchscript(s.weights));
  return embed::open_cpu_backbone(spec, tensors, s.weights, s.embedder);
}

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

Result<void> write_numbers(const std::string& path, const std::vector<std::int64_t>& numbers) {
  const std::uint64_t shape[] = {numbers.size()};
  return io::write_npy<std::int64_t>(path, shape, numbers);
}

Result<void> write_companions(const EmbedArguments& s, const embed::ImageSource& source,
                              const embed::EmbedReport& report) {
  std::vector<std::int64_t> labels, samples(report.samples.begin(), report.samples.end());
  for (const std::size_t sample : report.samples) labels.push_back(source.label(sample));
  if (!s.labels_out.empty()) PACO_TRY(write_numbers(s.labels_out, labels));
  if (!s.index_out.empty()) PACO_TRY(write_numbers(s.index_out, samples));
  return {};
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

// To a pipe the number of rows goes first, so every image must be readable.
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

Result<void> run(Context& context, EmbedArguments& s) {
  const bool pipe = s.out == "-";
  if (pipe && (context.json || s.run.resume))
    return Error{ErrorCode::bad_argument, "--out - leaves no room for --json or --resume",
                 "name a file with --out"};
  PACO_TRY(check_outputs({{"--weights", s.weights}, {"--data", s.data}, {"--index", s.index}},
                         {{"--out", unless_stdout(s.out)},
                          {"--labels-out", s.labels_out},
                          {"--index-out", s.index_out},
                          {"--classifier-out", s.classifier_out}}));
  if (s.run.threads == 0) s.run.threads = core::available_threads();
  s.embedder.threads = s.run.threads;
  // On a CPU the network needs the cores: decoding an image takes a tenth of the time of embedding
  // it, and goes on beside it.
  if (s.embedder.device == "cpu") s.run.threads = (s.run.threads + 3) / 4;
  s.run.out = s.out;
  PACO_ASSIGN(const auto source, embed::open_images(s.data));
  PACO_ASSIGN(const auto order, read_order(s, *source));
  if (order.empty())
    return Error{ErrorCode::bad_value, fmt::format("{}: there is no image to embed", s.data),
                 "see --data in paco embed --help for the kinds of data sets"};
  PACO_ASSIGN(const auto embedder, open_embedder(s));
  if (!embedder->ignored_tensors().empty())
    print_note(fmt::format("{}: {} tensors of a classifier are not used ({}, ...)", s.weights,
                           embedder->ignored_tensors().size(),
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
  PACO_TRY(write_companions(s, *source, report));
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

}  // namespace

void add_embed(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand(
      "embed",
      "Turn images into embeddings with a trained run or a bare backbone.\n"
      "An interrupted run leaves what it has in OUT.part-000000, ...; the same command with "
      "--resume\n"
      "goes on from there and ends with the same bytes.");
  auto s = std::make_shared<EmbedArguments>();
  s->run.threads = 0;
  std::string names;
  for (const std::string& name : embed::backbone_names())
    names += (names.empty() ? "" : ", ") + name;
  verb.add_option("--model", s->model, "run folder of paco train");
  verb.add_option("--backbone", s->backbone, "without a run: " + names);
  verb.add_option("--weights", s->weights,
                  "its weights: .safetensors, .pth/.pt state dict, or TorchScript; none: random");
  verb.add_option(
      "--normalise", s->normalise,
      "its pixels: imagenet, half (0.5 and 0.5), none, or three means and three deviations");
  add_count(verb, "--input", s->input, 0, 4096, "its input in pixels (0: the backbone's own)");
  verb.add_option(
          "--data", s->data,
          "images: folder:PATH, tar:PATH, idx:IMAGES[,LABELS], cifar10:PATH, cifar100:PATH, "
          "fashion-mnist")
      ->required();
  verb.add_option("--index", s->index,
                  "npy file with the numbers of the images to embed, in that order");
  verb.add_option("--out", s->out,
                  ".npy, .safetensors, .npz, .csv, .jsonl or .fvecs file, or - for npy to a pipe")
      ->required();
  verb.add_option("--labels-out", s->labels_out, "npy file for the label of every row (-1: none)");
  verb.add_option("--index-out", s->index_out, "npy file for the image number of every row");
  verb.add_option("--classifier-out", s->classifier_out,
                  "npy file for the run's trained class weights, for paco calibrate --classifier");
  verb.add_option("--device", s->embedder.device, "cpu, cuda or cuda:N");
  verb.add_option("--precision", s->embedder.precision,
                  "float32, bfloat16, on a CPU also int8; auto: bfloat16 on a GPU, else float32");
  add_count(verb, "--batch", s->run.batch, 1, 65536, "images that the network sees at once");
  add_threads(verb, s->run.threads, "that decode, and on a CPU compute");
  verb.add_flag("--strict", s->run.strict,
                "stop at an image that cannot be read instead of skipping it");
  verb.add_flag("--resume", s->run.resume,
                "go on where an interrupted run of this command stopped");
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
