// `paco train`: labelled images in, a run folder out that `paco embed` takes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/threads.hpp"
#include "base/try.hpp"
#include "data/images.hpp"
#include "train/train.hpp"
#include "train/training_set.hpp"
#include "verb.hpp"

namespace paco {
namespace {

struct Settings {
  std::string data, split, index, labels, classes, backbone = "small", weights, out;
  std::string normalisation;
  int input = 0, dimension = -1;
  TrainOptions options;
  bool no_stat = false, no_margin = false, resume = false, distributed = false;
  GroupArguments group;
};

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

Json to_json(const TrainReport& report, const TrainPlan& plan) {
  const auto& last = report.epochs.back();
  return {{"out", plan.folder},
          {"epochs", report.epochs.size()},
          {"resumed_after", report.resumed_after},
          {"parameters", report.parameters},
          {"loss", last.loss},
          {"cls", last.cls},
          {"stat", last.stat},
          {"accuracy", last.accuracy},
          {"skipped", last.skipped},
          {"images_per_second", last.images_per_second},
          {"seconds", report.seconds}};
}

Result<void> run(Context& context, Settings& s) {
  s.options.use_stat = !s.no_stat;
  s.options.use_margin = !s.no_margin;
  TrainPlan plan;
  PACO_ASSIGN(plan.net, make_spec(s.backbone, s.input, s.dimension));
  if (!s.normalisation.empty()) {
    PACO_ASSIGN(plan.net.normalisation, parse_normalisation(s.normalisation));
  }
  plan.weights = s.weights;
  plan.options = s.options;
  if (plan.options.workers == 0) plan.options.workers = available_threads();
  if (plan.options.threads == 0) plan.options.threads = available_threads();
  plan.folder = s.out;
  plan.resume = s.resume;
  plan.version = PACO_VERSION;
  plan.commit = PACO_COMMIT;
  if (s.distributed) {
    PACO_ASSIGN(plan.group, group_options(s.group, environment));
  }
  PACO_ASSIGN(const auto images, open_images(s.data));
  if (!s.split.empty()) {
    s.index = s.split + "/support_index.npy";
    s.labels = s.split + "/support_labels.npy";
    s.classes = s.split + "/classes.txt";
  }
  PACO_ASSIGN(const TrainingSet set,
              read_training_set(*images, s.data, {s.index, s.labels, s.classes}));

  const bool quiet = plan.group && plan.group->rank > 0;
  NoProgress silence;
  TrainListener listener;
  listener.progress = quiet ? static_cast<Progress*>(&silence) : context.progress.get();
  listener.clock = context.clock;
  listener.warn = [](const std::string& text) { print_note("skipped " + text); };
  PACO_ASSIGN(const TrainReport report, train(set, plan, listener, context.stop));
  if (quiet) return {};
  const auto& last = report.epochs.back();
  return print_result(
      context, to_json(report, plan),
      fmt::format("{}: {} epochs, {} samples of {} classes, {} numbers learnt, {}\n"
                  "loss {:.4f} = cls {:.4f} + {} x stat {:.4f}, training accuracy {:.1f} %\n"
                  "next: paco embed --model {} --data {} --out embeddings.npy\n",
                  s.out, report.epochs.size(), set.samples.size(), set.class_names.size(),
                  report.parameters, format_duration(report.seconds), last.loss, last.cls,
                  s.options.use_stat ? s.options.stat_weight : 0.0, last.stat, 100 * last.accuracy,
                  s.out, s.data));
}

void add_group_options(CLI::App& verb, Settings& s) {
  verb.add_flag("--distributed", s.distributed,
                "train with other processes; each needs its own rank");
  verb.add_option("--rank", s.group.rank, "number of this process, from 0")->default_str("$RANK");
  verb.add_option("--processes", s.group.size, "how many there are")->default_str("$WORLD_SIZE");
  verb.add_option("--address", s.group.address, "of the process with rank 0")
      ->default_str("$MASTER_ADDR or 127.0.0.1");
  verb.add_option("--port", s.group.port, "of the process with rank 0")
      ->default_str("$MASTER_PORT or 29500");
}

}  // namespace

void add_train(CLI::App& app, Context& context) {
  CLI::App& verb = *app.add_subcommand("train",
                                       "Train the network that turns images into embeddings.\n"
                                       "Writes a run folder: weights and settings after every "
                                       "epoch, a checkpoint to go on from, metrics and their "
                                       "plot.");
  auto s = std::make_shared<Settings>();
  TrainOptions& o = s->options;
  o.workers = o.threads = 0;
  verb.add_option("--data", s->data,
                  "images: folder:PATH, tar:PATH, idx:IMAGES,LABELS, cifar10:PATH, cifar100:PATH "
                  "or fashion-mnist")
      ->required();
  verb.add_option("--split", s->split,
                  "folder of paco split: its support set, labels and known classes");
  verb.add_option("--index", s->index,
                  "npy file with the numbers of the images to train on (else: all of them)");
  verb.add_option("--labels", s->labels, "their labels (else: those of the data set)");
  verb.add_option("--classes", s->classes, "names of the known classes, one a line");
  verb.add_option("--backbone", s->backbone,
                  fmt::format("one of {}", fmt::join(backbone_names(), ", ")));
  verb.add_option("--weights", s->weights,
                  "start of the backbone: .safetensors, .pth or TorchScript");
  verb.add_option("--input", s->input,
                  "side of the network's input in pixels; 0: the backbone's default");
  verb.add_option("--dimension", s->dimension,
                  "of the embedding; -1: the backbone's default, 0: no head");
  verb.add_option("--normalise", s->normalisation, "of pixels: imagenet, half, none or six numbers")
      ->default_str("the backbone's");
  verb.add_option("--out", s->out, "run folder to write")->required();
  verb.add_flag("--resume", s->resume, "go on from the checkpoint in --out");
  verb.add_option("--epochs", o.epochs, "passes over the support set");
  verb.add_option("--batch", o.batch, "samples a step, two views each");
  verb.add_option("--lr", o.head_rate, "learning rate of head and classifier");
  verb.add_option("--lr-backbone", o.backbone_rate, "learning rate of the backbone");
  verb.add_option("--weight-decay", o.weight_decay, "of AdamW");
  verb.add_option("--clip", o.clip, "largest norm of the gradient; 0: no limit");
  verb.add_option("--scale", o.scale, "of the angular margin loss");
  verb.add_option("--margin", o.margin, "of the angular margin loss, in radians");
  verb.add_option("--stat-weight", o.stat_weight, "weight of the statistical episodes");
  verb.add_flag("--no-stat", s->no_stat, "leave the statistical episodes out");
  verb.add_flag("--no-margin", s->no_margin, "plain softmax instead of the angular margin");
  verb.add_option("--train-blocks", o.blocks,
                  "which part of the backbone learns: all, last or head (none)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, TrainBlocks>{
          {"all", TrainBlocks::all}, {"last", TrainBlocks::last}, {"head", TrainBlocks::head}}))
      ->default_str("all");
  verb.add_option("--precision", o.precision,
                  "float32, mixed (bfloat16 products) or bf16 (bfloat16 network)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Precision>{
          {"float32", Precision::float32}, {"mixed", Precision::mixed}, {"bf16", Precision::bf16}}))
      ->default_str("float32");
  verb.add_option("--seed", o.seed, "of weights, order, augmentation and episodes");
  verb.add_option("--device", o.device, "cpu, cuda or cuda:N");
  verb.add_option("--workers", o.workers, "threads that decode and augment; 0: one per core");
  verb.add_option("--threads", o.threads,
                  "of the network on a CPU; 0: one per core. The same number gives the same bytes");
  verb.add_flag("--strict", o.strict,
                "an image that cannot be read is an error, not a skipped sample");
  add_group_options(verb, *s);
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
