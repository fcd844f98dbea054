// The training loop: epochs, batches, checkpoints and progress messages.
#include "train/train.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files.hpp"
#include "core/try.hpp"
#include "embed/images/images.hpp"
#include "embed/images/loader.hpp"
#include "embed/torch/batch_fit.hpp"
#include "embed/torch/torch_net.hpp"
#include "embed/weights/run_folder.hpp"
#include "io/safetensors.hpp"
#include "train/checkpoint.hpp"
#include "train/trainer.hpp"

namespace paco::train {
namespace {

using Json = nlohmann::ordered_json;

// Streams of the seed, so that order, episodes and weights do not share random numbers.
constexpr std::uint64_t kOrderStream = std::uint64_t{1} << 40;
constexpr std::uint64_t kEpisodeStream = std::uint64_t{2} << 40;
constexpr int kStepsBetweenNotes = 8;  // reading the loss waits for a GPU

Result<void> check_set(const TrainingSet& set) {
  std::vector<std::size_t> sizes(set.class_names.size(), 0);
  for (const auto label : set.labels) ++sizes[static_cast<std::size_t>(label)];
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] > 0) continue;
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: class \"{}\" has no sample", set.description, set.class_names[k]),
                 "remove the class or give it images"};
  }
  if (sizes.size() < 2) {
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: {} known class{}; telling classes apart needs at least 2",
                             set.description, sizes.size(), sizes.size() == 1 ? "" : "es"),
                 "give labelled images of several classes (calibration later needs at least 3)"};
  }
  return {};
}

// Everything that decides the result; stored in the checkpoint and, with version and commit, in
// settings.json.
Json run_identity(const TrainingSet& set, const TrainPlan& plan, const embed::NetSpec& spec,
                  int processes) {
  Json json;
  json["options"] = Json::parse(options_to_json(plan.options));
  json["net"] = Json::parse(embed::spec_to_json(spec));
  json["weights"] = plan.weights;
  json["data"] = set.description;
  json["samples"] = set.samples.size();
  json["classes"] = set.class_names.size();
  json["processes"] = processes;
  return json;
}

// The head of another method, by the names of its released code.
Result<void> write_head(const std::string& folder, const PeerObjective& objective,
                        const Json& training) {
  std::vector<torch::Tensor> host;  // keeps the numbers alive until they are written
  io::SafetensorsWriter writer;
  writer.set_metadata("paco.training", training.dump());
  for (const auto& [name, tensor] : tensors_of(objective)) {
    host.push_back(tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous());
    writer.add(name, {tensor.sizes().begin(), tensor.sizes().end()},
               std::span<const float>(host.back().data_ptr<float>(),
                                      static_cast<std::size_t>(tensor.numel())));
  }
  return writer.write(folder + "/head.safetensors");
}

std::shared_ptr<std::uint8_t[]> pinned_memory(std::size_t bytes) {
  const auto tensor = torch::empty({static_cast<std::int64_t>(bytes)},
                                   torch::TensorOptions(torch::kUInt8).pinned_memory(true));
  return {tensor.data_ptr<std::uint8_t>(), [tensor](std::uint8_t*) {}};
}

class Session {
 public:
  Session(const TrainingSet& set, const TrainPlan& plan, const TrainListener& listener,
          std::stop_token stop)
      : set_(set), plan_(plan), spec_(plan.net), listener_(listener), stop_(std::move(stop)) {}

  Result<TrainReport> go();

 private:
  Result<void> prepare();
  Result<EpochMetrics> epoch(int number);
  Result<void> keep(const EpochMetrics& metrics);
  Error out_of_memory(const std::exception& error);
  std::uint64_t steps_an_epoch() const {
    return (set_.samples.size() + plan_.options.batch - 1) / plan_.options.batch;
  }
  bool writes() const { return group_->rank() == 0; }

  const TrainingSet& set_;
  const TrainPlan& plan_;
  embed::NetSpec spec_;  // the plan's, as the weights file has it
  const TrainListener& listener_;
  std::stop_token stop_;
  std::shared_ptr<ProcessGroup> group_;
  std::unique_ptr<Trainer> trainer_;
  Json identity_;
  TrainReport report_;
  std::uint64_t steps_ = 0;
};

Result<void> Session::prepare() {
  PACO_TRY(check_options(plan_.options));
  PACO_TRY(check_set(set_));
  torch::set_num_threads(static_cast<int>(std::max(1u, plan_.options.threads)));
  PACO_ASSIGN(const auto device, embed::parse_device(plan_.options.device));
  group_ = single_process();
  if (plan_.group) {
    PACO_ASSIGN(group_, join_group(*plan_.group, device));
  }
  if (plan_.options.batch % static_cast<std::size_t>(group_->size()) != 0) {
    return Error{ErrorCode::bad_argument,
                 fmt::format("a batch of {} cannot be shared evenly by {} processes",
                             plan_.options.batch, group_->size()),
                 "choose a --batch that is a multiple of the number of processes"};
  }
  embed::StateDict weights;
  if (!plan_.weights.empty()) {
    PACO_ASSIGN(weights, embed::read_weights(plan_.weights));
    PACO_ASSIGN(spec_, embed::fit_spec(plan_.net, weights, plan_.weights));
  }
  PACO_ASSIGN(auto net, embed::make_net(spec_, plan_.options.seed));
  if (!plan_.weights.empty()) {
    PACO_ASSIGN(auto loaded, embed::load_backbone(*net->backbone, weights, plan_.weights));
    report_.ignored = std::move(loaded.ignored);
  }
  trainer_ = std::make_unique<Trainer>(net, static_cast<std::int64_t>(set_.class_names.size()),
                                       plan_.options, device, group_);
  for (const auto& parameter : trainer_->optimizer().parameters()) {
    report_.parameters += static_cast<std::uint64_t>(parameter.numel());
  }
  identity_ = run_identity(set_, plan_, spec_, group_->size());
  if (writes()) PACO_TRY(core::make_folder(plan_.folder));
  if (!plan_.resume) return {};
  PACO_ASSIGN(auto checkpoint, load_checkpoint(plan_.folder, identity_.dump(), trainer_->state()));
  report_.resumed_after = checkpoint.epoch;
  report_.epochs = std::move(checkpoint.metrics);
  steps_ = checkpoint.steps;
  trainer_->optimizer().set_steps(checkpoint.steps);
  return {};
}

Result<EpochMetrics> Session::epoch(int number) {
  const auto& options = plan_.options;
  const auto order = epoch_order(set_.samples.size(), options.seed, number);
  std::vector<std::int64_t> label_of(set_.images->size(), -1);
  for (std::size_t i = 0; i < set_.samples.size(); ++i) label_of[set_.samples[i]] = set_.labels[i];

  // This process's share of every batch, one after the other; a share is a contiguous part of its
  // batch, and only the last batch may leave some process less, or nothing.
  const auto share = options.batch / static_cast<std::size_t>(group_->size());
  std::vector<std::size_t> mine, shares;
  for (std::size_t first = 0; first < order.size(); first += options.batch) {
    const auto last = std::min(first + options.batch, order.size());
    const auto begin = std::min(last, first + share * static_cast<std::size_t>(group_->rank()));
    const auto end = std::min(last, begin + share);
    shares.push_back(end - begin);
    for (auto i = begin; i < end; ++i) mine.push_back(set_.samples[order[i]]);
  }
  embed::LoaderSettings settings;
  settings.input = spec_.input;
  // PHE is trained with one view of a sample.
  settings.views = options.objective == Objective::phe ? 1 : 2;
  settings.augment = true;
  settings.seed = options.seed;
  settings.epoch = static_cast<std::uint64_t>(number);
  settings.threads = std::max(1u, options.workers);
  settings.strict = options.strict;
  settings.batch = share;
  if (trainer_->device().is_cuda()) settings.allocate = pinned_memory;
  embed::Loader loader(*set_.images, std::move(mine), settings, stop_);

  EpochMetrics metrics;
  metrics.epoch = number;
  const auto total_steps = steps_an_epoch() * static_cast<std::uint64_t>(options.epochs);
  const double began = listener_.clock();
  torch::Tensor sums;
  std::uint64_t done = 0, views = 0;
  for (std::size_t at = 0; at < shares.size(); ++at) {
    if (stop_.stop_requested()) {
      return Error{ErrorCode::interrupted,
                   fmt::format("stopped in epoch {} of {}", number, options.epochs), ""};
    }
    embed::Batch batch;
    if (shares[at] > 0) {
      PACO_ASSIGN(auto next, loader.next());
      if (!next) return Error{ErrorCode::io, "the images ended before the epoch did", ""};
      batch = std::move(*next);
    }
    metrics.skipped += batch.skipped.size();
    for (const auto& image : batch.skipped) {
      if (listener_.warn && number == report_.resumed_after + 1) {
        listener_.warn(fmt::format("{}: {}", image.name, image.error.message));
      }
    }
    std::vector<std::int64_t> labels;
    for (const auto sample : batch.samples) labels.push_back(label_of[sample]);
    // The other methods normalise over a batch, and one sample has no deviation.
    const std::size_t least = trainer_->objective() != nullptr ? 2 : 1;
    if (labels.size() < least && group_->size() == 1) continue;
    const auto b = static_cast<std::int64_t>(labels.size());
    const auto pixels = torch::from_blob(
        batch.pixels.get(), {settings.views, b, spec_.input, spec_.input, 3}, torch::kUInt8);
    metrics.factor = cosine_factor(steps_, total_steps);
    const core::Random episode(options.seed, kEpisodeStream + steps_);
    const auto parts = trainer_->step(pixels, labels, episode, metrics.factor);
    sums = sums.defined() ? sums + parts : parts;
    ++steps_;
    ++done;
    views += static_cast<std::uint64_t>(settings.views) * labels.size();
    if (listener_.progress && (done % kStepsBetweenNotes == 0 || at + 1 == shares.size())) {
      const auto now = (sums / static_cast<double>(done)).cpu();
      listener_.progress->update(
          views / static_cast<std::uint64_t>(settings.views),
          fmt::format("loss {:.3f} = cls {:.3f} + {} stat {:.3f}", now[kLoss].item<double>(),
                      now[kCls].item<double>(), stat_weight(options), now[kStat].item<double>()));
    }
  }
  if (done == 0) {
    return Error{ErrorCode::bad_value,
                 fmt::format("{}: not one image could be read", set_.description),
                 "look at one of them; --strict names the first"};
  }
  const auto means = (sums / static_cast<double>(done)).to(torch::kCPU, torch::kFloat64);
  const auto mean = [&](StepPart part) { return means[part].item<double>(); };
  metrics.step = steps_;
  metrics.loss = mean(kLoss);
  metrics.cls = mean(kCls);
  metrics.stat = mean(kStat);
  metrics.cos = mean(kCos);
  metrics.margin = mean(kMargin);
  metrics.compact = mean(kCompact);
  metrics.accuracy = mean(kAccuracy);
  metrics.gradient = mean(kGradient);
  metrics.seconds = listener_.clock() - began;
  metrics.images_per_second =
      metrics.seconds > 0 ? static_cast<double>(views) / metrics.seconds : 0;
  if (!std::isfinite(metrics.loss)) {
    return Error{
        ErrorCode::bad_value,
        fmt::format("the loss of epoch {} is {}: training has diverged", number, metrics.loss),
        "lower --lr and --lr-backbone, or --clip"};
  }
  return metrics;
}

Result<void> Session::keep(const EpochMetrics& metrics) {
  report_.epochs.push_back(metrics);
  if (!writes()) return {};
  Checkpoint checkpoint{identity_.dump(), metrics.epoch, steps_, report_.epochs};
  PACO_TRY(save_checkpoint(plan_.folder, checkpoint, trainer_->state()));
  PACO_TRY(core::write_file(plan_.folder + "/metrics.csv", metrics_csv(report_.epochs)));
  PACO_TRY(core::write_file(plan_.folder + "/loss.svg", loss_svg(report_.epochs)));
  embed::TrainedRun run;
  run.net = spec_;
  run.class_names = set_.class_names;
  Json training = identity_;
  training.erase("net");
  training["threads"] = plan_.options.threads;
  training["epoch"] = metrics.epoch;
  training["version"] = plan_.version;
  training["commit"] = plan_.commit;
  run.training = training.dump();
  run.tensors = embed::state_of(trainer_->net());
  if (const PeerObjective* objective = trainer_->objective()) {
    PACO_TRY(write_head(plan_.folder, *objective, training));
    return embed::write_run(plan_.folder, run);
  }
  const auto classifier =
      trainer_->classifier().detach().to(torch::kCPU, torch::kFloat32).contiguous();
  run.tensors.push_back({"classifier.weight",
                         {static_cast<std::uint64_t>(classifier.size(0)),
                          static_cast<std::uint64_t>(classifier.size(1))},
                         std::vector<float>(classifier.data_ptr<float>(),
                                            classifier.data_ptr<float>() + classifier.numel())});
  return embed::write_run(plan_.folder, run);
}

// The error message names a batch size that fits. It is found by trying, because it depends on the
// memory that is free now.
Error Session::out_of_memory(const std::exception& error) {
  auto wrong = embed::torch_error(
      error, fmt::format("a training step with --batch {}", plan_.options.batch));
  const auto side = spec_.input;
  const auto processes = static_cast<std::size_t>(group_->size());
  const auto fits = [&](std::size_t batch) {
    if (processes > 1) return false;  // the others do not know of this
    try {
      const auto b = static_cast<std::int64_t>(batch);
      const auto pixels = torch::zeros({2, b, side, side, 3}, torch::kUInt8);
      std::vector<std::int64_t> labels(batch);
      for (std::size_t i = 0; i < batch; ++i)
        labels[i] = static_cast<std::int64_t>(i % set_.class_names.size());
      trainer_->gradient(pixels, labels, core::Random(0)).cpu();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  };
  trainer_->optimizer().zero_gradients();
  const auto batch = embed::largest_batch_that_fits(plan_.options.batch, fits);
  wrong.hint =
      batch > 0 ? fmt::format("--batch {} fits", batch)
                : std::string("use a smaller --batch, a smaller backbone or --train-blocks last");
  return wrong;
}

Result<TrainReport> Session::go() {
  const double began = listener_.clock();
  PACO_TRY(prepare());
  for (int number = report_.resumed_after + 1; number <= plan_.options.epochs; ++number) {
    if (listener_.progress) {
      listener_.progress->start(fmt::format("epoch {}/{}", number, plan_.options.epochs), "images",
                                set_.samples.size());
    }
    auto metrics = [&]() -> Result<EpochMetrics> {
      try {
        return epoch(number);
      } catch (const std::exception& error) {
        if (embed::is_out_of_memory(error)) return out_of_memory(error);
        return embed::torch_error(error, fmt::format("epoch {}", number));
      }
    }();
    if (listener_.progress) listener_.progress->finish();
    if (!metrics.ok()) {
      auto error = metrics.error();
      if (error.code == ErrorCode::interrupted) {
        error.hint = number > 1
                         ? fmt::format("the checkpoint of epoch {} is kept: continue with --resume",
                                       number - 1)
                         : std::string("no epoch was complete yet: start again");
      }
      return error;
    }
    PACO_TRY(keep(*metrics));
    if (listener_.epoch_done) listener_.epoch_done(*metrics);
  }
  report_.seconds = listener_.clock() - began;
  return std::move(report_);
}

}  // namespace

Result<TrainReport> train(const TrainingSet& set, const TrainPlan& plan,
                          const TrainListener& listener, std::stop_token stop) {
  try {
    return Session(set, plan, listener, std::move(stop)).go();
  } catch (const std::exception& error) {
    return embed::torch_error(error, "training");
  }
}

std::vector<std::size_t> epoch_order(std::size_t n, std::uint64_t seed, int epoch) {
  return core::Random(seed, kOrderStream + static_cast<std::uint64_t>(epoch)).permutation(n);
}

}  // namespace paco::train
