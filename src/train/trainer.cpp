#include "train/trainer.hpp"

#include <torch/torch.h>

#include "train/losses.hpp"
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
                                           const TrainOptions& options) {
  std::vector<AdamW::Group> groups(2);
  groups[0].rate = options.backbone_rate;
  groups[1].rate = options.head_rate;
  for (auto& parameter : net.backbone->parameters()) {
    parameter.set_requires_grad(options.blocks == TrainBlocks::all);
  }
  if (options.blocks == TrainBlocks::last) {
    for (auto& parameter : net.backbone->last_block()) parameter.set_requires_grad(true);
  }
  for (const auto& item : net.named_parameters()) {
    if (!item.value().requires_grad()) continue;
    groups[item.key().starts_with("backbone.") ? 0 : 1].parameters.push_back(
        {item.key(), item.value()});
  }
  groups[1].parameters.push_back({"classifier.weight", classifier});
  return groups;
}

// One collective for all gradients: many small ones would each wait for the slowest process.
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
  classifier_ = draw_classifier(classes, net_->spec.embedding(), options_.seed).to(device_);
  classifier_.set_requires_grad(true);
  optimizer_ = std::make_unique<AdamW>(parameter_groups(*net_, classifier_, options_),
                                       options_.weight_decay);
}

torch::Tensor Trainer::features(const torch::Tensor& pixels) {
  const auto samples = pixels.size(1), side = pixels.size(2);
  const auto flat = pixels.reshape({2 * samples, side, side, 3}).to(device_, /*non_blocking=*/true);
  const Autocast autocast(options_.precision == Precision::mixed);
  const auto type = options_.precision == Precision::bf16 ? torch::kBFloat16 : torch::kFloat32;
  return net_->forward(embed::normalise_pixels(flat, net_->spec.normalisation, type))
      .to(torch::kFloat32)
      .view({2, samples, net_->spec.embedding()});
}

torch::Tensor Trainer::gradient(const torch::Tensor& pixels,
                                const std::vector<std::int64_t>& labels, core::Random random) {
  optimizer_->zero_gradients();
  const auto share = static_cast<std::int64_t>(labels.size());
  const auto own = share > 0 ? features(pixels)
                             : torch::zeros({2, 0, net_->spec.embedding()}, classifier_.options());

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
      gather_rows(*group_, own.detach(), counts).detach().requires_grad_(true);  // (2, B, d)

  const auto flat = leaf.view({-1, leaf.size(2)});
  const auto twice = all_labels.repeat({2});
  const MarginOptions margin{options_.scale, options_.margin, options_.use_margin};
  const auto cls = classification_loss(flat, twice, classifier_, margin);
  StatLoss stat;
  auto loss = cls;
  if (options_.use_stat) {
    stat = statistical_loss(leaf[0], leaf[1], joint, draw_episode(joint, random),
                            options_.compact_weight);
    loss = cls + options_.stat_weight * stat.total;
  } else {
    const auto zero = torch::zeros_like(cls);
    stat = {zero, zero, zero, zero};
  }
  loss.backward();

  if (share > 0 && own.requires_grad()) {
    std::int64_t first = 0;
    for (int i = 0; i < group_->rank(); ++i) first += counts[i];
    own.backward(leaf.grad().narrow(1, first, share));
  }
  if (group_->size() > 1) {
    // The classifier's gradient is already that of the joint batch, in every process: its mean is
    // itself.
    classifier_.mutable_grad().div_(group_->size());
    sum_gradients(optimizer_->parameters(), *group_);
  }

  torch::NoGradGuard guard;
  const auto accuracy =
      (flat.matmul(torch::nn::functional::normalize(classifier_).t()).argmax(1) == twice)
          .to(torch::kFloat32)
          .mean();
  const auto zero = torch::zeros_like(accuracy);
  return torch::stack({loss, cls, stat.total, stat.cos, stat.margin, stat.compact, accuracy, zero})
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
  state.push_back({"classifier.weight", classifier_});
  for (auto& item : optimizer_->state()) state.push_back({"adamw." + item.name, item.value});
  return state;
}

}  // namespace paco::train
