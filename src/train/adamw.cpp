#include "train/adamw.hpp"

#include <torch/torch.h>

#include <cmath>

#include "train/torch_compat.hpp"

namespace paco::train {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEpsilon = 1e-8;

}  // namespace

AdamW::AdamW(std::vector<Group> groups, Rule rule) : rule_(rule) {
  torch::NoGradGuard guard;
  for (const auto& group : groups) {
    for (const auto& parameter : group.parameters) {
      Slot slot;
      slot.name = parameter.name;
      slot.value = parameter.value;
      slot.rate = group.rate;
      slot.decay = group.decay;
      slot.master = parameter.value.scalar_type() == torch::kFloat32
                        ? parameter.value
                        : parameter.value.detach().to(torch::kFloat32);
      slot.first = torch::zeros_like(slot.master);
      slot.second = torch::zeros_like(slot.master);
      if (slot.master.is_cuda() && !counter_.defined())
        counter_ = torch::zeros({}, slot.master.options());
      slots_.push_back(std::move(slot));
    }
  }
}

std::vector<torch::Tensor> AdamW::parameters() const {
  std::vector<torch::Tensor> parameters;
  for (const auto& slot : slots_) parameters.push_back(slot.value);
  return parameters;
}

void AdamW::zero_gradients() {
  for (auto& slot : slots_) slot.value.mutable_grad() = torch::Tensor();
}

torch::Tensor AdamW::clip(double limit) {
  torch::NoGradGuard guard;
  std::vector<torch::Tensor> gradients;
  for (const auto& slot : slots_) {
    if (slot.value.grad().defined()) gradients.push_back(slot.value.grad());
  }
  if (gradients.empty()) return torch::zeros({});
  const auto total = torch::stack(norms_of(gradients)).norm(2);
  if (limit > 0) {
    // Computed on the device, without waiting for it: the factor is 1 if the norm is within the
    // limit.
    scale_all(gradients, (limit / (total + 1e-6)).clamp_max(1.0));
  }
  return total;
}

void AdamW::step_by_hand(Slot& slot, const torch::Tensor& gradient, double factor) {
  const double rate = slot.rate * factor;
  if (rule_ == Rule::momentum) {
    slot.first.mul_(kBeta1).add_(gradient + slot.decay * slot.master);
    slot.master.add_(slot.first, -rate);
    return;
  }
  const double correction1 = 1.0 - std::pow(kBeta1, static_cast<double>(steps_));
  const double correction2 = 1.0 - std::pow(kBeta2, static_cast<double>(steps_));
  slot.master.mul_(1.0 - rate * slot.decay);
  slot.first.mul_(kBeta1).add_(gradient, 1.0 - kBeta1);
  slot.second.mul_(kBeta2).addcmul_(gradient, gradient, 1.0 - kBeta2);
  const auto scale = (slot.second / correction2).sqrt_().add_(kEpsilon);
  slot.master.addcdiv_(slot.first, scale, -rate / correction1);
}

void AdamW::step(double factor) {
  torch::NoGradGuard guard;
  ++steps_;
  const bool fused = kHasFusedAdamw && counter_.defined() && rule_ == Rule::adamw;
  if (fused) counter_.fill_(static_cast<double>(steps_));
  // Slots of one rate and decay stand together, so each run of them is one fused call.
  for (std::size_t at = 0; at < slots_.size();) {
    const double rate = slots_[at].rate, decay = slots_[at].decay;
    std::vector<torch::Tensor> values, gradients, first, second;
    for (; at < slots_.size() && slots_[at].rate == rate && slots_[at].decay == decay; ++at) {
      auto& slot = slots_[at];
      if (!slot.value.grad().defined()) continue;
      if (!fused) {
        step_by_hand(slot, slot.value.grad().to(torch::kFloat32), factor);
        continue;
      }
      values.push_back(slot.master);
      gradients.push_back(slot.value.grad());
      first.push_back(slot.first);
      second.push_back(slot.second);
    }
    if (!values.empty()) {
      fused_adamw(values, as_float32(gradients), first, second,
                  std::vector<torch::Tensor>(values.size(), counter_), rate * factor, kBeta1,
                  kBeta2, decay, kEpsilon);
    }
  }
  std::vector<torch::Tensor> working, masters;
  for (auto& slot : slots_) {
    if (slot.master.is_same(slot.value)) continue;
    working.push_back(slot.value);
    masters.push_back(slot.master);
  }
  copy_all(working, masters);
}

std::vector<Parameter> AdamW::state() const {
  std::vector<Parameter> state;
  for (const auto& slot : slots_) {
    state.push_back({"first." + slot.name, slot.first});
    state.push_back({"second." + slot.name, slot.second});
    if (!slot.master.is_same(slot.value)) state.push_back({"master." + slot.name, slot.master});
  }
  return state;
}

}  // namespace paco::train
