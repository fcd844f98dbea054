// `paco demo`: all steps on real pictures, up to a report: Fashion-MNIST with five known classes
// and five to discover. A program built without torch begins with generated embeddings.
#include <fmt/format.h>

#include "cli/torch_parts.hpp"
#include "cli/verb.hpp"
#include "core/files.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "embed/embed_texts.hpp"
#include "io/npy.hpp"
#include "io/synthetic_data.hpp"
#include "shared/demo_page.hpp"
#include "shared/demo_stream.hpp"
#include "shared/encoder.hpp"
#include "shared/image_set.hpp"
#include "shared/package_texts.hpp"

namespace paco {
namespace {

struct DemoArguments {
  std::string out = "demo";
  std::string encoder = "minilm";
  bool fast = false, made = false, texts = false, serve = false;
  std::uint16_t port = 8600;
  std::uint32_t seed = 0;
  unsigned threads = 0;
};

Result<void> write_matrix(const std::string& path, const math::Matrix<double>& rows) {
  const std::uint64_t shape[] = {rows.rows(), rows.columns()};
  return io::write_npy<double>(path, shape, {rows.data(), rows.rows() * rows.columns()});
}

Result<void> write_numbers(const std::string& path, std::span<const std::int64_t> numbers) {
  const std::uint64_t shape[] = {numbers.size()};
  return io::write_npy<std::int64_t>(path, shape, numbers);
}

Result<DemoStream> make_up(const DemoFiles& files, const DemoArguments& s) {
  io::SyntheticShape shape{"demo", 64, 20, 10, 1200, 18000, 0.9, s.seed};
  if (s.fast) shape.stream /= 4;
  const io::SyntheticData made(shape);
  std::vector<std::int64_t> labels(shape.stream);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = made.stream_label(i);
  PACO_TRY(core::make_folder(files.split));
  PACO_TRY(write_matrix(files.support, made.support()));
  PACO_TRY(write_matrix(files.stream, made.stream(0, shape.stream)));
  PACO_TRY(write_numbers(files.support_labels, made.support_labels()));
  PACO_TRY(write_numbers(files.stream_labels, labels));
  std::string names;
  for (std::size_t k = 0; k < shape.known + shape.novel; ++k) {
    if (k == shape.known) PACO_TRY(core::write_file(files.known, names));
    names += fmt::format("class {}\n", k);
  }
  PACO_TRY(core::write_file(files.classes, names));
  print_note(
      fmt::format("{} labelled and {} unlabelled embeddings of dimension {} made up from seed {}",
                  shape.support, shape.stream, shape.dimension, s.seed));
  DemoStream demo;
  demo.title =
      fmt::format("Made embeddings: {} known classes, {} to discover", shape.known, shape.novel);
  return demo;
}

Result<DemoStream> prepare_images(Context& context, const DemoFiles& files,
                                  const DemoArguments& s) {
  train::ImageRecipe recipe = *train::known_recipe("fashion-mnist");
  // Half as many epochs as in a study, with smaller batches, for the same accuracy
  // (bench/gpu/recipe.sh).
  recipe.training.epochs /= s.fast ? 4 : 2;
  recipe.training.batch = 96;
  recipe.training.seed = s.seed;
  recipe.training.threads = s.threads;
  PACO_TRY(make_image_set(context, recipe,
                          {files.split, files.run, files.support, files.stream, files.classifier},
                          false));
  DemoStream stream;
  stream.title = "Fashion-MNIST: 5 known classes, 5 to discover";
  stream.images = recipe.images;
  stream.classifier = true;
  return stream;
}

// The descriptions of Debian's packages, a few thousand of them: a minute or two of embedding.
Result<DemoStream> prepare_texts(Context& context, const DemoFiles& files, const DemoArguments& s) {
  EncoderOptions options;
  options.encoder = s.encoder;
  options.settings.threads = s.threads;
  PACO_ASSIGN(const Encoder encoder, open_text_encoder(options));
  constexpr std::size_t kEach = 50, kStream = 6000;
  PACO_ASSIGN(const std::vector<PackageText> texts, read_package_texts());
  PACO_ASSIGN(const PackageSplit split,
              split_packages(texts, kEach, s.fast ? kStream / 4 : kStream, s.seed));
  PACO_TRY(core::make_folder(files.split));
  std::string names;
  for (std::size_t k = 0; k < split.classes.size(); ++k) {
    if (k == split.known) PACO_TRY(core::write_file(files.known, names));
    names += split.classes[k] + "\n";
  }
  PACO_TRY(core::write_file(files.classes, names));
  PACO_TRY(write_numbers(files.support_labels, split.support_labels));
  PACO_TRY(write_numbers(files.stream_labels, split.stream_labels));
  for (const auto& [part, out] :
       {std::pair{&split.support, &files.support}, {&split.stream, &files.stream}}) {
    const std::string list = out->substr(0, out->rfind('.')) + ".jsonl";
    std::string lines;
    for (const std::string& text : *part)
      lines += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    PACO_TRY(core::write_file(list, lines));
    print_command(
        fmt::format("paco embed --texts {} --encoder {} --out {}", list, s.encoder, *out));
    embed::EmbedFileOptions to;
    to.out = *out;
    PACO_TRY(
        embed::embed_texts_to_file(*part, *encoder.texts, to, *context.progress, context.stop));
  }
  DemoStream demo;
  demo.method = "mirror";  // designed for few classes
  demo.title = fmt::format("Descriptions of Debian's packages: {} known sections, {} to discover",
                           split.known, split.classes.size() - split.known);
  return demo;
}

Result<DemoStream> start(Context& context, const DemoFiles& files, const DemoArguments& s) {
  if (s.texts) return prepare_texts(context, files, s);
  if (context.torch != nullptr && !s.made) return prepare_images(context, files, s);
  if (!s.made) {
    print_note(
        "this program was built without torch, so there are no images: the decision layer runs on "
        "made embeddings");
  }
  return make_up(files, s);
}

Result<void> run(Context& context, DemoArguments& s) {
  PACO_TRY(check_outputs({}, {{"--out", s.out}}));
  const double began = context.clock();
  if (s.threads == 0) s.threads = core::available_threads();
  const DemoFiles files(s.out);
  PACO_TRY(core::make_folder(files.folder));
  PACO_ASSIGN(DemoStream demo, start(context, files, s));
  demo.seed = s.seed;
  demo.threads = static_cast<int>(s.threads);
  PACO_ASSIGN(Json json, run_demo_stream(context, files, demo));
  const double seconds = context.clock() - began;
  json["out"] = s.out;
  json["seconds"] = seconds;
  const auto percent = [](const Json& share) {
    return share.is_number() ? fmt::format("{:.1f} %", 100 * share.get<double>())
                             : std::string("-");
  };
  const Json &strict = json["strict"], &closed = json["closed"]["strict"];
  std::string text = fmt::format(
      "{} in {}: {} of all samples right ({} without discovery), {} of the novel ones ({}), {} "
      "categories found\n",
      demo.title, core::format_duration(seconds), percent(strict["all"]), percent(closed["all"]),
      percent(strict["new"]), percent(closed["new"]), json["categories"].dump());
  text += json["report"].is_string()
              ? fmt::format("open {} in a browser; every file of the run is in {}/\n",
                            json["report"].get<std::string>(), s.out)
              : fmt::format("every file of the run is in {}/\n", s.out);
  PACO_TRY(print_result(context, json, text));
  if (!s.serve) return {};
  return serve_demo(context, files, demo.images, s.port);
}

}  // namespace

void add_demo(Options& verb, Context& context) {
  verb.about(
      "The whole job on Fashion-MNIST: train, embed, calibrate, discover, evaluate, report.\n"
      "Five of its classes are known, the other five have to be discovered. Every step prints the "
      "command that\n"
      "does the same by hand, and its files stay in the folder.");
  auto s = std::make_shared<DemoArguments>();
  verb.add_text("--out", s->out, "folder for everything it writes");
  verb.add_flag("--fast", s->fast, "half the epochs, or a quarter of the texts, at some loss");
  verb.add_flag("--texts", s->texts,
                "in place of images the descriptions of Debian's packages, out of this machine's "
                "package lists");
  verb.add_text("--encoder", s->encoder, "of these texts: a name of 'paco models', or a folder");
  verb.add_flag("--made", s->made, "made embeddings instead of images: a few seconds, no torch");
  verb.add_flag("--serve", s->serve,
                "then leave a page running on the stream, which flows in again at a readable pace");
  add_count(verb, "--port", s->port, 0, 65535, "of that page; 0: any free one");
  add_seed(verb, "--seed", s->seed, "of training and calibration");
  add_threads(verb, s->threads, "of all steps");
  verb.set_needs_torch([s] { return !s->made && !s->texts && built_with_torch(); });
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
