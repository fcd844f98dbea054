// `paco demo`: the whole job on real pictures, from nothing to a report: Fashion-MNIST, five
// classes known, five to be discovered. In a program built without torch, the same from made
// embeddings on.
#include <fmt/format.h>

#include "about.hpp"
#include "core/files.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "demo_stream.hpp"
#include "hand_over.hpp"
#include "image_set.hpp"
#include "io/npy.hpp"
#include "io/synthetic_data.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct DemoArguments {
  std::string out = "demo";
  bool fast = false, made = false, serve = false;
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

#ifdef PACO_HAS_TORCH
Result<DemoStream> prepare_images(Context& context, const DemoFiles& files,
                                  const DemoArguments& s) {
  train::ImageRecipe recipe = *train::known_recipe("fashion-mnist");
  // Half as long as for a study, in smaller steps, for the same share of right answers
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
#endif

Result<DemoStream> start(Context& context, const DemoFiles& files, const DemoArguments& s) {
#ifdef PACO_HAS_TORCH
  if (!s.made) return prepare_images(context, files, s);
#else
  (void)context;
  print_note(
      "this program was built without torch, so there are no images: the decision layer runs on "
      "made embeddings");
#endif
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
  std::vector<std::string> page = {"demo_page", "--folder=" + s.out,
                                   "--port=" + std::to_string(s.port)};
  if (!demo.images.empty()) page.push_back("--images=" + demo.images);
  return become("paco-net", page);
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand("demo", about_demo);
  auto s = std::make_shared<DemoArguments>();
  verb.add_option("--out", s->out, "folder for everything it writes");
  verb.add_flag("--fast", s->fast, "half the epochs, at some loss");
  verb.add_flag("--made", s->made, "made embeddings instead of images: a few seconds, no torch");
  verb.add_flag("--serve", s->serve,
                "then leave a page running on the stream, which flows in again at a readable pace");
  add_count(verb, "--port", s->port, 0, 65535, "of that page; 0: any free one");
  add_seed(verb, "--seed", s->seed, "of training and calibration");
  add_threads(verb, s->threads, "of all steps");
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
