#include "train/trainer.hpp"

#include <torch/torch.h>

#include "train/torch_compat.hpp"

namespace paco::train {
namespace {

constexpr double kClassifierSpread = 0.01;

torch::Tensor draw_classifier(std::int64_t classes, std::int64_t dimension, std::uint64_t seed) {
  core::Random random(seed, /*stream=*/0x636c6173);  // its own stream: the same for any backbone
  std::vector<float> values(static_cast<std::size_t>(classes * dimension));
  for (auto& value : values) value = static_cast<float>(kClassifierSpread * random.normal());
  return torch::tensor(values, torch::kFloat32).view({classes, dimension});
}

// Freezes what shall not learn and lists the rest, the backbone's parameters first.
std::vector<AdamW::Group> parameter_groups(embed::Net& net, const torch::Tensor& classifier,
                                           const PeerObjective* objective,
                                           const TrainOptions& options) {
  std::vector<AdamW::Group> groups(2);
  groups[0].rate = options.backbone_rate;
  groups[1].rate = options.head_rate;
  groups[0].decay = groups[1].decay = options.weight_decay;
  for (auto& parameter : net.backbone->parameters()) {
    parameter.set_requires_grad(options.blocks == TrainBlocks::all);
  }
  if (options.blocks == TrainBlocks::last) {
    for (auto& parameter : net.backbone->last_block()) parameter.set_requires_grad(true);
  }
  for (const auto& item : net.named_parameters()) {
    // Released code of the other methods leaves the norm behind the last block as it is.
    if (objective != nullptr && item.key().starts_with("backbone.norm."))
      item.value().set_requires_grad(false);
    if (!item.value().requires_grad()) continue;
    groups[item.key().starts_with("backbone.") ? 0 : 1].parameters.push_back(
        {item.key(), item.value()});
  }
  if (objective == nullptr) {
    groups[1].parameters.push_back({"classifier.weight", classifier});
    return groups;
  }
  for (const auto& item : objective->named_parameters()) {
    const double decay = objective->decay(item.key(), options.weight_decay);
    if (groups.back().decay != decay) groups.push_back({{}, options.head_rate, decay});
    groups.back().parameters.push_back({"objective." + item.key(), item.value()});
  }
  return groups;
}

// One collective operation for all gradients: many small ones would each wait for the slowest
// process.
void sum_gradients(std::vector<torch::Tensor> parameters, ProcessGroup& group) {
  std::vector<torch::Tensor> pieces;
  for (auto& parameter : parameters) {
    if (!parameter.grad().defined()) parameter.mutable_grad() = torch::zeros_like(parameter);
    pieces.push_back(parameter.grad().flatten().to(torch::kFloat32));
  }
  auto together = torch::cat(pieces);
  group.sum(together);
  std::int64_t at = 0;
  for (auto& parameter : parameters) {
    parameter.mutable_grad().copy_(together.narrow(0, at, parameter.numel()).view_as(parameter));
    at += parameter.numel();
  }
}

}  // namespace

Trainer::Trainer(std::shared_ptr<embed::Net> net, std::int64_t classes, const TrainOptions& options,
                 const torch::Device& device, std::shared_ptr<ProcessGroup> group)
    : net_(std::move(net)), options_(options), device_(device), group_(std::move(group)) {
  net_->to(device_);
  if (options_.precision == Precision::bf16) net_->to(torch::kBFloat16);
  net_->train();
  objective_ = make_objective(options_, classes, net_->spec.embedding());
  if (objective_) {
    objective_->to(device_);
  } else {
    classifier_ = draw_classifier(classes, net_->spec.embedding(), options_.seed).to(device_);
    classifier_.set_requires_grad(true);
  }
  const bool momentum = options_.objective == Objective::smile;
  optimizer_ =
      std::make_unique<AdamW>(parameter_groups(*net_, classifier_, objective_.get(), options_),
                              momentum ? AdamW::Rule::momentum : AdamW::Rule::adamw);
}

torch::Tensor Trainer::features(const torch::Tensor& pixels) {
  const auto views = pixels.size(0), samples = pixels.size(1), side = pixels.size(2);
  const auto flat =
      pixels.reshape({views * samples, side, side, 3}).to(device_, /*non_blocking=*/true);
  const Autocast autocast(options_.precision == Precision::mixed);
  const auto type = options_.precision == Precision::bf16 ? torch::kBFloat16 : torch::kFloat32;
  return net_->forward(embed::normalise_pixels(flat, net_->spec.normalisation, type))
      .to(torch::kFloat32)
      .view({views, samples, net_->spec.embedding()});
}

Trainer::Loss Trainer::loss(const torch::Tensor& features, const torch::Tensor& labels,
                            const std::vector<std::int64_t>& host_labels, core::Random& random) {
  const auto zero = torch::zeros({}, features.options().requires_grad(false));
  StatLoss stat{zero, zero, zero, zero};
  if (objective_) {
    const ObjectiveParts parts = objective_->loss(features, labels, random);
    stat.total = parts.others;
    return {parts.total, parts.main, parts.accuracy, stat};
  }
  const auto flat = features.view({-1, features.size(2)});
  const auto twice = labels.repeat({2});
  const auto cls = classification_loss(flat, twice, classifier_,
                                       {options_.scale, options_.margin, options_.use_margin});
  if (options_.use_stat) {
    stat = statistical_loss(features[0], features[1], host_labels,
                            draw_episode(host_labels, random), options_.compact_weight);
  }
  const auto total = options_.use_stat ? cls + options_.stat_weight * stat.total : cls;
  torch::NoGradGuard guard;
  const auto right =
      flat.matmul(torch::nn::functional::normalize(classifier_).t()).argmax(1) == twice;
  return {total, cls, right.to(torch::kFloat32).mean(), stat};
}

torch::Tensor Trainer::gradient(const torch::Tensor& pixels,
                                const std::vector<std::int64_t>& labels, core::Random random) {
  optimizer_->zero_gradients();
  const auto share = static_cast<std::int64_t>(labels.size());
  const auto own = share > 0 ? features(pixels)
                             : torch::zeros({pixels.size(0), 0, net_->spec.embedding()},
                                            torch::TensorOptions(device_));

  const auto counts = group_->size() == 1 ? std::vector<std::int64_t>{share}
                                          : gather_counts(*group_, share, device_);
  const auto all_labels =
      gather_rows(*group_, upload(labels, device_).view({1, share}), counts).view({-1});
  std::vector<std::int64_t> joint(labels);
  if (group_->size() > 1) {
    const auto host = all_labels.cpu();
    joint.assign(host.data_ptr<std::int64_t>(), host.data_ptr<std::int64_t>() + host.numel());
  }
  const auto leaf =
      gather_rows(*group_, own.detach(), counts).detach().requires_grad_(true);  // (views, B, d)

  const Loss loss = this->loss(leaf, all_labels, joint, random);
  loss.total.backward();

  if (share > 0 && own.requires_grad()) {
    std::int64_t first = 0;
    for (int i = 0; i < group_->rank(); ++i) first += counts[i];
    own.backward(leaf.grad().narrow(1, first, share));
  }
  if (group_->size() > 1) {
    // The gradient of these parameters is already that of the joint batch in every process, so the
    // mean over the processes is the same.
    for (auto& own : objective_ ? objective_->parameters() : std::vector{classifier_}) {
      if (own.grad().defined()) own.mutable_grad().div_(group_->size());
    }
    sum_gradients(optimizer_->parameters(), *group_);
  }

  torch::NoGradGuard guard;
  const StatLoss& stat = loss.stat;
  return torch::stack({loss.total, loss.cls, stat.total, stat.cos, stat.margin, stat.compact,
                       loss.accuracy, torch::zeros_like(loss.accuracy)})
      .detach();
}

torch::Tensor Trainer::step(const torch::Tensor& pixels, const std::vector<std::int64_t>& labels,
                            core::Random random, double factor) {
  auto parts = gradient(pixels, labels, std::move(random));
  parts[kGradient].copy_(optimizer_->clip(options_.clip));
  optimizer_->step(factor);
  return parts;
}

std::vector<Parameter> Trainer::state() {
  std::vector<Parameter> state;
  for (const auto& item : net_->named_parameters())
    state.push_back({"net." + item.key(), item.value()});
  for (const auto& item : net_->named_buffers())
    state.push_back({"net." + item.key(), item.value()});
  if (objective_) {
    for (const auto& [name, tensor] : tensors_of(*objective_))
      state.push_back({"objective." + name, tensor});
  } else {
    state.push_back({"classifier.weight", classifier_});
  }
  for (auto& item : optimizer_->state()) state.push_back({"adamw." + item.name, item.value});
  return state;
}

}  // namespace paco::train
