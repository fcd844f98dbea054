#include "demo_images.hpp"

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/try.hpp"
#include "data/npy.hpp"
#include "data/splits.hpp"
#include "images/images.hpp"
#include "represent/embed_images.hpp"
#include "train/train.hpp"
#include "vision/cpu_embedder.hpp"

namespace paco {
namespace {

constexpr const char* kData = "fashion-mnist";

// How `small` learns here: from scratch, so the backbone takes the head's rate, and the gradient,
// large at first, is clipped. Few epochs, a low rate and no angular margin: known classes that are
// pressed together take the unknown ones with them.
TrainOptions demo_training(const DemoImages& demo) {
  TrainOptions options;
  options.epochs = demo.fast ? 2 : 4;
  options.head_rate = options.backbone_rate = 3e-4;
  options.clip = 5;
  options.margin = 0;
  options.seed = demo.seed;
  options.threads = demo.threads;
  options.workers = 1;
  return options;
}

Result<Split> split_step(const ImageSource& images, const DemoFiles& files) {
  print_command(fmt::format("paco split --data {} --rule {} --out {}", kData, kData, files.split));
  PACO_ASSIGN(const Labels labels, image_labels(images));
  PACO_ASSIGN(const ClassSplit classes, choose_classes({kData, "", {}}, labels.names));
  PACO_ASSIGN(Split split, make_split(labels, classes, {}));
  PACO_TRY(write_split(split, files.split));
  return split;
}

Result<void> train_step(Context& context, const ImageSource& images, const Split& split,
                        const DemoFiles& files, const DemoImages& demo) {
  TrainPlan plan;
  plan.options = demo_training(demo);
  PACO_ASSIGN(plan.net, make_spec("small"));
  plan.folder = files.run;
  plan.version = PACO_VERSION;
  plan.commit = PACO_COMMIT;
  print_command(fmt::format(
      "paco train --data {} --split {} --backbone small --epochs {} --lr {} "
      "--lr-backbone {} --clip {} --margin {} --seed {} --out {}",
      kData, files.split, plan.options.epochs, plan.options.head_rate, plan.options.backbone_rate,
      plan.options.clip, plan.options.margin, demo.seed, files.run));
  TrainingSet set;
  set.images = &images;
  set.description = kData;
  set.samples.assign(split.support.begin(), split.support.end());
  set.labels = split.support_labels;
  set.class_names.assign(
      split.class_names.begin(),
      split.class_names.begin() + static_cast<std::ptrdiff_t>(split.known_classes));
  TrainListener listener;
  listener.progress = context.progress.get();
  listener.clock = context.clock;
  const auto report = train(set, plan, listener, context.stop);
  if (!report.ok()) return report.error();
  return {};
}

Result<void> embed_step(Context& context, const ImageSource& images, ImageEmbedder& embedder,
                        const DemoFiles& files, const DemoImages& demo,
                        const std::vector<std::int64_t>& index, const char* part) {
  EmbedFileOptions options;
  options.out = part == std::string("support") ? files.support : files.stream;
  options.threads = std::max(1u, demo.threads);
  options.clock = context.clock;
  print_command(fmt::format(
      "paco embed --model {} --data {} --index {}/{}_index.npy --out {}{}", files.run, kData,
      files.split, part, options.out,
      options.out == files.support ? fmt::format(" --classifier-out {}", files.classifier) : ""));
  const auto embedded = embed_to_file(images, {index.begin(), index.end()}, embedder, options,
                                      *context.progress, context.stop);
  if (!embedded.ok()) return embedded.error();
  return {};
}

}  // namespace

Result<DemoStream> prepare_demo_images(Context& context, const DemoFiles& files,
                                       const DemoImages& demo) {
  PACO_ASSIGN(const auto images, open_images(kData));
  PACO_ASSIGN(const Split split, split_step(*images, files));
  PACO_TRY(train_step(context, *images, split, files, demo));
  PACO_ASSIGN(const auto embedder, open_cpu_run(files.run, {"cpu", demo.threads, "float32"}));
  PACO_TRY(embed_step(context, *images, *embedder, files, demo, split.support, "support"));
  PACO_TRY(embed_step(context, *images, *embedder, files, demo, split.stream, "stream"));
  const Matrix<float>& classifier = embedder->classifier();
  const std::uint64_t shape[] = {classifier.rows(), classifier.columns()};
  PACO_TRY(write_npy<float>(files.classifier, shape,
                            {classifier.data(), classifier.rows() * classifier.columns()}));
  DemoStream stream;
  stream.title = "Fashion-MNIST: 5 known classes, 5 to discover";
  stream.images = kData;
  stream.classifier = true;
  return stream;
}

}  // namespace paco
