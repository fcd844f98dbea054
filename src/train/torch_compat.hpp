// The differences between libtorch 1.13 (Debian) and 2.x (GPU machines) that training meets, kept
// in one place.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>
#include <vector>

#define PACO_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) ||       \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

namespace paco::train {

// While alive, and if asked for, matrix products on the GPU run in bfloat16.
class Autocast {
 public:
  explicit Autocast(bool enabled) : enabled_(enabled) {
    if (!enabled_) return;
#if PACO_TORCH_AT_LEAST(2, 4)
    at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCUDA, true);
#else
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(true);
#endif
    at::autocast::increment_nesting();
  }
  ~Autocast() {
    if (!enabled_) return;
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
#if PACO_TORCH_AT_LEAST(2, 4)
    at::autocast::set_autocast_enabled(at::kCUDA, false);
#else
    at::autocast::set_enabled(false);
#endif
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  bool enabled_;
};

// One kernel for a whole group's AdamW step: there from 2.1 on.
inline constexpr bool kHasFusedAdamw = PACO_TORCH_AT_LEAST(2, 1);

// `steps` holds each tensor's step count on the device, already advanced.
inline void fused_adamw(const std::vector<torch::Tensor>& values,
                        const std::vector<torch::Tensor>& gradients,
                        const std::vector<torch::Tensor>& first,
                        const std::vector<torch::Tensor>& second,
                        const std::vector<torch::Tensor>& steps, double rate, double beta1,
                        double beta2, double decay, double epsilon) {
#if PACO_TORCH_AT_LEAST(2, 1)
  at::_fused_adamw_(values, gradients, first, second, /*max_exp_avg_sqs=*/{}, steps, rate, beta1,
                    beta2, decay, epsilon, /*amsgrad=*/false, /*maximize=*/false);
#else
  (void)values, (void)gradients, (void)first, (void)second, (void)steps;
  (void)rate, (void)beta1, (void)beta2, (void)decay, (void)epsilon;
  TORCH_CHECK(false, "this libtorch has no fused AdamW");
#endif
}

// Whole numbers on a device, without waiting for what the device is doing: the copy goes through
// pinned memory.
inline torch::Tensor upload(const std::vector<std::int64_t>& values, const torch::Device& device) {
  const auto host = torch::tensor(values, torch::kLong);
  return device.is_cuda() ? host.pin_memory().to(device, /*non_blocking=*/true) : host.to(device);
}

// Copies every tensor of `from` into the one at the same place of `to`, changing the type.
inline void copy_all(const std::vector<torch::Tensor>& to, const std::vector<torch::Tensor>& from) {
#if PACO_TORCH_AT_LEAST(2, 1)
  if (!to.empty()) at::_foreach_copy_(to, from);
#else
  for (std::size_t i = 0; i < to.size(); ++i) to[i].copy_(from[i]);
#endif
}

// The tensors in groups of one type each: what handles many at once wants that.
inline std::vector<std::vector<torch::Tensor>> by_type(const std::vector<torch::Tensor>& tensors) {
  std::vector<std::vector<torch::Tensor>> groups;
  for (const auto& tensor : tensors) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
      return other[0].scalar_type() == tensor.scalar_type();
    });
    if (group != groups.end())
      group->push_back(tensor);
    else
      groups.push_back({tensor});
  }
  return groups;
}

// The norms of the tensors, float32, those of one type together.
inline std::vector<torch::Tensor> norms_of(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> norms;
  for (const auto& group : by_type(tensors)) {
#if PACO_TORCH_AT_LEAST(2, 4)
    const auto some = at::_foreach_norm(group, 2, torch::kFloat32);
#else
    const auto some = at::_foreach_norm(group, 2);
#endif
    for (const auto& norm : some) norms.push_back(norm.to(torch::kFloat32));
  }
  return norms;
}

// Multiplies every tensor by a scalar that lies on their device.
inline void scale_all(const std::vector<torch::Tensor>& tensors, const torch::Tensor& factor) {
  for (const auto& group : by_type(tensors)) {
    const auto scale = factor.to(group[0].scalar_type());
#if PACO_TORCH_AT_LEAST(2, 1)
    at::_foreach_mul_(group, scale);
#else
    for (const auto& tensor : group) tensor.mul_(scale);
#endif
  }
}

// The tensors as float32: those that are already, and copies of the others made in one go.
inline std::vector<torch::Tensor> as_float32(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> result, from, to;
  for (const auto& tensor : tensors) {
    if (tensor.scalar_type() == torch::kFloat32) {
      result.push_back(tensor);
      continue;
    }
    result.push_back(torch::empty_like(tensor, torch::kFloat32));
    from.push_back(tensor);
    to.push_back(result.back());
  }
  copy_all(to, from);
  return result;
}

}  // namespace paco::train
