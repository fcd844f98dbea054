#include "shared/image_set.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "cli/commit.hpp"
#include "cli/torch_parts.hpp"
#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/cpu/cpu_embedder.hpp"
#include "embed/embed_images.hpp"
#include "embed/images/images.hpp"
#include "embed/weights/image_encoder.hpp"
#include "io/npy.hpp"

namespace paco {
namespace {

class ImageSet {
 public:
  ImageSet(Context& context, const train::ImageRecipe& recipe, const ImageSetFiles& files,
           bool resume)
      : context_(context), recipe_(recipe), files_(files), resume_(resume) {}

  Result<void> make() {
    PACO_ASSIGN(images_, embed::open_images(recipe_.images));
    images_->set_loader(recipe_.loader);
    PACO_TRY(split());
    if (trains()) PACO_TRY(train());
    PACO_ASSIGN(embedder_, open_embedder());
    PACO_TRY(embed("support", split_.support, files_.support));
    if (trains()) PACO_TRY(write_classifier());
    if (!files_.extraction.empty() && seconds_ > 0)
      PACO_TRY(core::write_file(files_.extraction, fmt::format("{:.4f}\n", seconds_)));
    return embed("stream", split_.stream, files_.stream);
  }

 private:
  bool trains() const { return recipe_.training.epochs > 0; }

  Result<void> split() {
    std::string command =
        fmt::format("paco split --data {} --rule {}", recipe_.images, recipe_.split.name);
    if (!recipe_.split.list_file.empty()) command += " --list " + recipe_.split.list_file;
    if (recipe_.split.known_count)
      command += fmt::format(" --known {}", *recipe_.split.known_count);
    if (recipe_.split.unchecked) command += " --unchecked";
    print_command(fmt::format("{} --out {}", command, files_.split));
    PACO_ASSIGN(const io::Labels labels, embed::image_labels(*images_));
    PACO_ASSIGN(const io::ClassSplit classes, io::choose_classes(recipe_.split, labels.names));
    PACO_ASSIGN(split_, io::make_split(labels, classes, {}));
    PACO_TRY(io::check_counts(recipe_.split, split_));
    return io::write_split(split_, files_.split);
  }

  // Only for a build without torch; otherwise paco-torch is already running here.
  Error no_torch() const {
    return Error{ErrorCode::unsupported, recipe_.images + ": to train a network needs torch",
                 "install libtorch-dev and build again; or give embeddings"};
  }

  std::string loader_words() const {
    return recipe_.loader == embed::ImageLoader::literature ? " --loader literature" : "";
  }

  // The options of network and training that differ from the defaults.
  std::string network_words() const {
    std::string words;
    if (!recipe_.weights.empty()) words += " --weights " + recipe_.weights;
    if (!recipe_.normalise.empty()) words += " --normalise " + recipe_.normalise;
    words += loader_words();
    if (recipe_.input > 0) words += fmt::format(" --input {}", recipe_.input);
    return words;
  }
  std::string training_words() const {
    const train::TrainOptions& own = recipe_.training;
    const train::TrainOptions usual;
    std::string words;
    const auto add = [&](const char* name, auto value, auto common) {
      if (value != common) words += fmt::format(" {} {}", name, value);
    };
    add("--dimension", recipe_.dimension, -1);
    add("--epochs", own.epochs, usual.epochs);
    add("--batch", own.batch, usual.batch);
    add("--lr", own.head_rate, usual.head_rate);
    add("--lr-backbone", own.backbone_rate, usual.backbone_rate);
    add("--weight-decay", own.weight_decay, usual.weight_decay);
    add("--clip", own.clip, usual.clip);
    add("--scale", own.scale, usual.scale);
    if (own.use_margin) add("--margin", own.margin, usual.margin);
    if (!own.use_margin) words += " --no-margin";
    if (own.use_stat) add("--stat-weight", own.stat_weight, usual.stat_weight);
    if (!own.use_stat) words += " --no-stat";
    add("--compact-weight", own.compact_weight, usual.compact_weight);
    add("--train-blocks", train::kTrainBlocks.name(own.blocks),
        train::kTrainBlocks.name(usual.blocks));
    add("--precision", train::kPrecisions.name(own.precision),
        train::kPrecisions.name(usual.precision));
    add("--device", own.device, usual.device);
    return words + fmt::format(" --seed {}", own.seed);
  }

  Result<void> train() {
    train::TrainPlan plan;
    plan.options = recipe_.training;
    PACO_ASSIGN(plan.net, train::network_of(recipe_));
    plan.weights = recipe_.weights;
    plan.folder = files_.run;
    plan.resume =
        resume_ && core::path_kind(files_.run + "/checkpoint.safetensors") == core::PathKind::file;
    plan.version = PACO_VERSION;
    plan.commit = built_from();
    print_command(fmt::format("paco train --data {} --split {} --backbone {}{}{} --out {}",
                              recipe_.images, files_.split, recipe_.backbone, network_words(),
                              training_words(), files_.run));
    train::TrainingSet set;
    set.images = images_.get();
    set.description = recipe_.images;
    set.samples.assign(split_.support.begin(), split_.support.end());
    set.labels = split_.support_labels;
    set.class_names.assign(
        split_.class_names.begin(),
        split_.class_names.begin() + static_cast<std::ptrdiff_t>(split_.known_classes));
    train::TrainListener listener;
    listener.progress = context_.progress.get();
    listener.clock = context_.clock;
    if (context_.torch == nullptr) return no_torch();
    const auto report = context_.torch->train_network(set, plan, listener, context_.stop);
    if (!report.ok()) return report.error();
    return {};
  }

  Result<std::unique_ptr<embed::ImageEmbedder>> open_embedder() const {
    const embed::EmbedderSettings settings{recipe_.training.device, recipe_.training.threads,
                                           "float32"};
    const bool on_cpu = settings.device == "cpu";
    if (!on_cpu && context_.torch == nullptr) return no_torch();
    if (trains()) {
      return on_cpu ? embed::open_cpu_run(files_.run, settings)
                    : context_.torch->open_run(files_.run, settings);
    }
    PACO_ASSIGN(const embed::NetSpec spec, train::network_of(recipe_));
    return on_cpu ? embed::open_cpu_backbone(spec, recipe_.weights, settings)
                  : context_.torch->open_backbone(spec, recipe_.weights, settings);
  }

  Result<void> embed(const char* part, const std::vector<std::int64_t>& index,
                     const std::string& out) {
    const bool classifier = trains() && out == files_.support;
    print_command(
        fmt::format("paco embed --encoder {} --data {} --index {}/{}_index.npy --out {}{}",
                    trains() ? files_.run + loader_words() : recipe_.backbone + network_words(),
                    recipe_.images, files_.split, part, out,
                    classifier ? fmt::format(" --classifier-out {}", files_.classifier) : ""));
    if (resume_ && core::path_kind(out) == core::PathKind::file) return {};
    embed::EmbedFileOptions options;
    options.out = out;
    options.threads = recipe_.training.threads;
    options.strict = true;
    options.resume = resume_;
    options.clock = context_.clock;
    PACO_ASSIGN(options.record,
                embed::image_record(
                    embedder_->spec(),
                    trains() ? files_.run + "/weights.safetensors" : recipe_.weights, "float32"));
    if (recipe_.loader == embed::ImageLoader::literature)
      options.record->preprocessing += ", loader of the literature";
    const double start = context_.clock();
    const auto embedded = embed::embed_to_file(*images_, {index.begin(), index.end()}, *embedder_,
                                               options, *context_.progress, context_.stop);
    if (!embedded.ok()) return embedded.error();
    // A resumed file took longer than this call, so its time is unknown.
    seconds_ = embedded->resumed == 0 ? context_.clock() - start : 0;
    return {};
  }

  Result<void> write_classifier() const {
    const math::Matrix<float>& weights = embedder_->classifier();
    const std::uint64_t shape[] = {weights.rows(), weights.columns()};
    return io::write_npy<float>(files_.classifier, shape,
                                {weights.data(), weights.rows() * weights.columns()});
  }

  Context& context_;
  const train::ImageRecipe& recipe_;
  const ImageSetFiles& files_;
  bool resume_;
  std::unique_ptr<embed::ImageSource> images_;
  std::unique_ptr<embed::ImageEmbedder> embedder_;
  io::Split split_;
  double seconds_ = 0;  // of the last file that was embedded
};

}  // namespace

Result<void> make_image_set(Context& context, const train::ImageRecipe& recipe,
                            const ImageSetFiles& files, bool resume) {
  return ImageSet(context, recipe, files, resume).make();
}

void print_command(const std::string& command) {
  std::fputs(fmt::format("  $ {}\n", command).c_str(), stderr);
}

}  // namespace paco
