// `paco train`: trains a network on labelled images; `paco embed` uses the resulting run folder.
#include "train/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "cli/commit.hpp"
#include "cli/torch_parts.hpp"
#include "cli/verb.hpp"
#include "core/threads.hpp"
#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "shared/loader_option.hpp"
#include "train/training_set.hpp"

namespace paco {
namespace {

struct TrainArguments {
  embed::ImageLoader loader = embed::ImageLoader::upright;
  std::string data, split, index, labels, classes, backbone = "small", weights, out;
  std::string normalisation;
  int input = 0, dimension = -1;
  double held_out = 0;
  train::TrainOptions options;
  bool no_stat = false, no_margin = false, resume = false, distributed = false;
  train::GroupArguments group;
  // Options whose default depends on the objective.
  std::vector<std::pair<const Option*, std::function<void(const train::TrainOptions&)>>>
      by_objective;
};

// Sets options that were not given to the defaults of the objective's method.
void take_defaults_of_objective(TrainArguments& s) {
  const train::TrainOptions usual = train::options_for(s.options.objective);
  for (const auto& [option, take] : s.by_objective) {
    if (option->given.empty()) take(usual);
  }
  if (s.options.objective == train::Objective::paco) return;
  if (s.dimension < 0) s.dimension = 0;
  const train::TrainOptions& o = s.options;
  print_note(fmt::format(
      "as {} is trained: --epochs {} --lr {} --lr-backbone {} --weight-decay {} --train-blocks {}",
      train::kObjectives.name(o.objective), o.epochs, o.head_rate, o.backbone_rate, o.weight_decay,
      train::train_blocks_name(o.blocks)));
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

Json to_json(const train::TrainReport& report, const train::TrainPlan& plan) {
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

// The paper's configuration is a ViT-B/16 with DINO's weights and a head of 768 numbers, trained
// with the defaults of TrainOptions.
void say_what_is_not_the_papers(const TrainArguments& s) {
  const train::TrainOptions usual;
  std::string other;
  const auto add = [&](bool differs, const std::string& what) {
    if (differs) other += (other.empty() ? "" : ", ") + what;
  };
  add(s.backbone != "vit_b16", fmt::format("--backbone {} (vit_b16)", s.backbone));
  add(s.weights.empty(), "fresh weights (DINO's)");
  add(s.dimension != 768 && s.backbone != "vit_b16", "the head's dimension (768)");
  add(s.options.epochs != usual.epochs, fmt::format("--epochs {} (20)", s.options.epochs));
  add(s.options.batch != usual.batch, fmt::format("--batch {} (128)", s.options.batch));
  add(s.options.head_rate != usual.head_rate, fmt::format("--lr {} (1e-3)", s.options.head_rate));
  add(s.options.backbone_rate != usual.backbone_rate,
      fmt::format("--lr-backbone {} (5e-5)", s.options.backbone_rate));
  add(s.options.weight_decay != usual.weight_decay,
      fmt::format("--weight-decay {} (1e-4)", s.options.weight_decay));
  add(s.options.clip != usual.clip, fmt::format("--clip {} (none)", s.options.clip));
  add(s.options.scale != usual.scale, fmt::format("--scale {} (30)", s.options.scale));
  add(s.no_margin || s.options.margin != usual.margin, "--margin (0.5)");
  add(s.no_stat || s.options.stat_weight != usual.stat_weight, "--stat-weight (0.2)");
  add(s.options.compact_weight != usual.compact_weight, "--compact-weight (1)");
  add(s.loader != embed::ImageLoader::literature, "--loader upright (literature)");
  if (!other.empty() && s.options.objective == train::Objective::paco)
    print_note("not the paper's configuration: " + other);
}

// The next command, for objectives whose head decides.
std::string next_with_head(const TrainArguments& s) {
  if (s.options.objective == train::Objective::paco) return "";
  return fmt::format("then: paco calibrate --method {} --head {}/head.safetensors ...\n",
                     train::kObjectives.name(s.options.objective), s.out);
}

Result<void> run(Context& context, TrainArguments& s) {
  PACO_TRY(check_outputs({{"--weights", s.weights},
                          {"--index", s.index},
                          {"--labels", s.labels},
                          {"--classes", s.classes}},
                         {{"--out", s.out}, {"a file in --out", s.out + "/weights.safetensors"}}));
  take_defaults_of_objective(s);
  s.options.use_stat = !s.no_stat;
  s.options.use_margin = !s.no_margin;
  train::TrainPlan plan;
  PACO_ASSIGN(plan.net, embed::make_spec(s.backbone, s.input, s.dimension));
  if (!s.normalisation.empty()) {
    PACO_ASSIGN(plan.net.normalisation, embed::parse_normalisation(s.normalisation));
  }
  plan.weights = s.weights;
  plan.options = s.options;
  if (plan.options.workers == 0) plan.options.workers = core::available_threads();
  if (plan.options.threads == 0) plan.options.threads = core::available_threads();
  plan.folder = s.out;
  plan.resume = s.resume;
  plan.version = PACO_VERSION;
  plan.commit = built_from();
  if (s.distributed) {
    PACO_ASSIGN(plan.group, train::group_options(s.group, environment));
  }
  PACO_ASSIGN(const auto images, embed::open_images(s.data));
  images->set_loader(s.loader);
  if (!s.split.empty()) {
    s.index = s.split + "/support_index.npy";
    s.labels = s.split + "/support_labels.npy";
    s.classes = s.split + "/classes.txt";
  }
  say_what_is_not_the_papers(s);
  PACO_ASSIGN(train::TrainingSet set,
              train::read_training_set(*images, s.data, {s.index, s.labels, s.classes}));
  if (!(s.held_out >= 0 && s.held_out < 1)) {
    return Error{ErrorCode::bad_argument, fmt::format("--held-out is {}", s.held_out),
                 "give the share of samples to keep apart, as 0.2"};
  }
  const bool writes = !plan.group || plan.group->rank == 0;
  if (s.held_out > 0) {
    const train::HeldOut apart = train::hold_out(set, s.held_out, s.options.seed);
    if (writes) PACO_TRY(train::write_parts(set, apart, s.out));
  }

  const bool quiet = plan.group && plan.group->rank > 0;
  core::NoProgress silence;
  train::TrainListener listener;
  listener.progress = quiet ? static_cast<core::Progress*>(&silence) : context.progress.get();
  listener.clock = context.clock;
  listener.warn = [](const std::string& text) { print_note("skipped " + text); };
  PACO_ASSIGN(const train::TrainReport report,
              context.torch->train_network(set, plan, listener, context.stop));
  if (quiet) return {};
  const auto& last = report.epochs.back();
  return print_result(
      context, to_json(report, plan),
      fmt::format("{}: {} epochs, {} samples of {} classes, {} numbers learnt, {}\n"
                  "loss {:.4f} = cls {:.4f} + {} x stat {:.4f}, training accuracy {:.1f} %\n"
                  "next: paco embed --encoder {} --data {} --out embeddings.npy\n",
                  s.out, report.epochs.size(), set.samples.size(), set.class_names.size(),
                  report.parameters, core::format_duration(report.seconds), last.loss, last.cls,
                  train::stat_weight(s.options), last.stat, 100 * last.accuracy, s.out, s.data) +
          next_with_head(s));
}

void add_group_options(Options& verb, TrainArguments& s) {
  verb.add_flag("--distributed", s.distributed,
                "train with other processes; each needs its own rank");
  add_count(verb, "--rank", s.group.rank, 0, 65535, "number of this process, from 0")
      .shown_default("$RANK");
  add_count(verb, "--processes", s.group.size, 1, 65536, "how many there are")
      .shown_default("$WORLD_SIZE");
  verb.add_text("--address", s.group.address, "of the process with rank 0")
      .shown_default("$MASTER_ADDR or 127.0.0.1");
  add_count(verb, "--port", s.group.port, 1, 65535, "of the process with rank 0")
      .shown_default("$MASTER_PORT or 29500");
}

}  // namespace

void add_train(Options& verb, Context& context) {
  verb.about(
      "Train the network that turns images into embeddings.\n"
      "Writes a run folder: weights and settings after every epoch, a checkpoint to go on from, "
      "metrics and their plot.");
  auto s = std::make_shared<TrainArguments>();
  train::TrainOptions& o = s->options;
  o.workers = o.threads = 0;
  verb.add_text("--data", s->data,
                "images: folder:PATH, tar:PATH, idx:IMAGES,LABELS, fashion-mnist, or a published "
                "set, e.g. cub:PATH")
      .required();
  add_loader(verb, s->loader);
  verb.add_text("--split", s->split,
                "folder of paco split: its support set, labels and known classes");
  verb.add_text("--index", s->index,
                "npy file with the numbers of the images to train on (else: all of them)");
  verb.add_text("--labels", s->labels, "their labels (else: those of the data set)");
  verb.add_text("--classes", s->classes, "names of the known classes, one a line");
  add_number(verb, "--held-out", s->held_out,
             "share of each class's samples that is kept out of training, for a false-new rate: "
             "--out gets held_out_index.npy, support_index.npy and their labels");
  verb.add_text("--backbone", s->backbone,
                fmt::format("one of {}", fmt::join(embed::backbone_names(), ", ")));
  verb.add_text("--weights", s->weights,
                "start of the backbone: .safetensors, .pth or TorchScript");
  add_count(verb, "--input", s->input, 0, 4096,
            "side of the network's input in pixels; 0: the backbone's default");
  add_count(verb, "--dimension", s->dimension, -1, 1'000'000,
            "of the embedding; -1: the backbone's default, 0: no head");
  verb.add_text("--normalise", s->normalisation, "of pixels: imagenet, half, none or six numbers")
      .shown_default("the backbone's");
  verb.add_text("--out", s->out, "run folder to write").required();
  verb.add_flag("--resume", s->resume, "go on from the checkpoint in --out");
  add_choice<train::Objective>(
      verb, "--objective", o.objective,
      {{"paco", train::Objective::paco},
       {"smile", train::Objective::smile},
       {"phe", train::Objective::phe},
       {"talon", train::Objective::talon},
       {"ltc", train::Objective::ltc}},
      "whose losses: PACO's, or another method's with a head of its own "
      "(OUT/head.safetensors) and its rates, epochs and blocks unless they "
      "are given");
  add_count(verb, "--bits", o.bits, 2, 48, "of the codes of smile and phe");
  const auto by_objective = [&](const Option& option, auto train::TrainOptions::*field) {
    s->by_objective.emplace_back(&option, [r = s.get(), field](const train::TrainOptions& u) {
      r->options.*field = u.*field;
    });
  };
  by_objective(add_count(verb, "--epochs", o.epochs, 1, 1'000'000, "passes over the support set"),
               &train::TrainOptions::epochs);
  add_count(verb, "--batch", o.batch, 1, 65536, "samples a step, two views each");
  by_objective(add_number(verb, "--lr", o.head_rate, "learning rate of head and classifier"),
               &train::TrainOptions::head_rate);
  by_objective(add_number(verb, "--lr-backbone", o.backbone_rate, "learning rate of the backbone"),
               &train::TrainOptions::backbone_rate);
  by_objective(add_number(verb, "--weight-decay", o.weight_decay, "of the weights"),
               &train::TrainOptions::weight_decay);
  add_number(verb, "--clip", o.clip, "largest norm of the gradient; 0: no limit");
  add_number(verb, "--scale", o.scale, "of the angular margin loss");
  add_number(verb, "--margin", o.margin, "of the angular margin loss, in radians");
  add_number(verb, "--stat-weight", o.stat_weight, "weight of the statistical episodes");
  add_number(verb, "--compact-weight", o.compact_weight,
             "weight of compactness inside the statistical episodes");
  verb.add_flag("--no-stat", s->no_stat, "leave the statistical episodes out");
  verb.add_flag("--no-margin", s->no_margin, "plain softmax instead of the angular margin");
  by_objective(
      add_choice<train::TrainBlocks>(verb, "--train-blocks", o.blocks,
                                     {{"all", train::TrainBlocks::all},
                                      {"last", train::TrainBlocks::last},
                                      {"head", train::TrainBlocks::head}},
                                     "which part of the backbone learns: all, last or head (none)"),
      &train::TrainOptions::blocks);
  add_choice<train::Precision>(verb, "--precision", o.precision,
                               {{"float32", train::Precision::float32},
                                {"mixed", train::Precision::mixed},
                                {"bf16", train::Precision::bf16}},
                               "float32, mixed (bfloat16 products) or bf16 (bfloat16 network)");
  add_seed(verb, "--seed", o.seed, "of weights, order, augmentation and episodes");
  verb.add_text("--device", o.device, "cpu, cuda or cuda:N");
  add_count(verb, "--workers", o.workers, 0, core::kMostThreads,
            "threads that decode and augment; 0: all cores");
  add_threads(verb, o.threads, "of the network on a CPU; the same number gives the same bytes");
  verb.add_flag("--strict", o.strict,
                "an image that cannot be read is an error, not a skipped sample");
  add_group_options(verb, *s);
  verb.set_needs_torch([] { return true; });
  finish_verb(verb, context, [&context, s] { return run(context, *s); });
}

}  // namespace paco
