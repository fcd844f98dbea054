#include "embed/torch/torch_vit_fused.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/torch.h>
#include <torch/version.h>

#include "embed/torch/vit_kernels.hpp"

namespace paco::embed::cuda {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The device of a tensor while kernels are put on its current stream; launched() after them throws
// where a launch failed.
class OnDevice {
 public:
  explicit OnDevice(const Tensor& tensor) : guard_(tensor.device()) {}
  Stream stream() const { return at::cuda::getCurrentCUDAStream().stream(); }
  int multiprocessors() const {
    return at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  }
  void launched() const { C10_CUDA_KERNEL_LAUNCH_CHECK(); }

 private:
  c10::cuda::CUDAGuard guard_;
};

Shape shape_of(const Tensor& rows, const Tensor& parameter) {
  const auto width = rows.size(-1);
  return {rows.numel() / width, static_cast<int>(width),
          parameter.scalar_type() == torch::kFloat32};
}

bool autocast_to_bfloat16() {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  return at::autocast::is_autocast_enabled(at::kCUDA) &&
         at::autocast::get_autocast_dtype(at::kCUDA) == at::kBFloat16;
#else
  return at::autocast::is_enabled() && at::autocast::get_autocast_gpu_dtype() == at::kBFloat16;
#endif
}

Tensor scratch(const Shape& shape, std::int64_t columns, const OnDevice& device,
               const Tensor& like) {
  return at::empty({partial_rows(shape.rows, device.multiprocessors()), columns},
                   like.options().dtype(torch::kFloat32));
}

struct AddNormFunction : torch::autograd::Function<AddNormFunction> {
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& branch,
                               const Tensor& bias, const Tensor& weight, const Tensor& shift,
                               double epsilon) {
    const OnDevice device(x);
    const Shape shape = shape_of(x, weight);
    const Tensor stream = x.contiguous(), added = branch.contiguous();
    const Tensor sum = at::empty_like(stream), y = at::empty_like(added),
                 stats = at::empty({2, shape.rows}, x.options().dtype(torch::kFloat32));
    add_norm(
        shape,
        {stream.data_ptr(), added.data_ptr(), bias.data_ptr(), weight.data_ptr(), shift.data_ptr(),
         static_cast<float>(epsilon), sum.data_ptr(), y.data_ptr(), stats.data_ptr<float>()},
        device.stream());
    device.launched();
    context->save_for_backward({sum, stats, weight});
    return {sum, y};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &sum = saved[0], &stats = saved[1], &weight = saved[2];
    const OnDevice device(sum);
    const Shape shape = shape_of(sum, weight);
    const Tensor sum_gradient = gradients[0].contiguous(), y_gradient = gradients[1].contiguous();
    const Tensor x_gradient = at::empty_like(sum);
    const Tensor branch_gradient = shape.wide ? at::empty_like(y_gradient) : x_gradient;
    const Tensor parameters = at::empty({3, shape.width}, weight.options());
    const Tensor partial = scratch(shape, 3 * shape.width, device, sum);
    add_norm_gradient(shape,
                      {sum_gradient.data_ptr(), y_gradient.data_ptr(), sum.data_ptr(),
                       stats.data_ptr<float>(), weight.data_ptr(), x_gradient.data_ptr(),
                       shape.wide ? branch_gradient.data_ptr() : nullptr, partial.data_ptr<float>(),
                       parameters.data_ptr()},
                      device.multiprocessors(), device.stream());
    device.launched();
    return {x_gradient, branch_gradient, parameters[2], parameters[0], parameters[1], Tensor()};
  }
};

struct BiasGeluFunction : torch::autograd::Function<BiasGeluFunction> {
  static Tensor forward(AutogradContext* context, const Tensor& h, const Tensor& bias) {
    const OnDevice device(h);
    const Tensor input = h.contiguous(), y = at::empty_like(input);
    bias_gelu(shape_of(input, bias), input.data_ptr(), bias.data_ptr(), y.data_ptr(),
              device.multiprocessors(), device.stream());
    device.launched();
    context->save_for_backward({input, bias});
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &h = saved[0], &bias = saved[1];
    const OnDevice device(h);
    const Shape shape = shape_of(h, bias);
    const Tensor y_gradient = gradients[0].contiguous();
    const Tensor h_gradient = at::empty_like(h), bias_gradient = at::empty_like(bias);
    const Tensor partial = scratch(shape, shape.width, device, h);
    bias_gelu_gradient(shape,
                       {h.data_ptr(), bias.data_ptr(), y_gradient.data_ptr(), h_gradient.data_ptr(),
                        partial.data_ptr<float>(), bias_gradient.data_ptr()},
                       device.multiprocessors(), device.stream());
    device.launched();
    return {h_gradient, bias_gradient};
  }
};

struct ProjectHeadsFunction : torch::autograd::Function<ProjectHeadsFunction> {
  static variable_list forward(AutogradContext* context, const Tensor& y, const Tensor& weight,
                               const Tensor& bias, std::int64_t heads, std::int64_t parts) {
    // Below autograd's tracking of views: what is returned are results, not views of one.
    const at::AutoDispatchBelowADInplaceOrView untracked;
    const auto batch = y.size(0), tokens = y.size(1), width = weight.size(0) / parts;
    const auto together = at::linear(y, weight, bias).view({batch, tokens, parts, heads, -1});
    context->save_for_backward({y, weight});
    context->saved_data["width"] = width;
    variable_list result;
    for (std::int64_t part = 0; part < parts; ++part)
      result.push_back(together.select(2, part).transpose(1, 2));
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor y = saved[0].flatten(0, 1), &weight = saved[1];
    const OnDevice device(y);
    const auto parts = static_cast<int>(gradients.size());
    const auto width = context->saved_data["width"].toInt();
    const Shape shape{y.size(0), static_cast<int>(width), false};
    SideBySide work{};
    std::vector<Tensor> rows;  // (B, heads, N, d), as a rule laid out as (B, N, heads, d) already
    for (const auto& gradient : gradients) {
      rows.push_back(gradient.to(torch::kBFloat16).transpose(1, 2).contiguous());
      work.part[rows.size() - 1] = rows.back().data_ptr();
    }
    const Tensor together = at::empty({shape.rows, parts * width}, y.options());
    const Tensor bias_gradient = at::empty({parts * width}, y.options());
    const Tensor partial = scratch(shape, parts * width, device, y);
    work.parts = parts;
    work.together = together.data_ptr();
    work.partial = partial.data_ptr<float>();
    work.column_sums = bias_gradient.data_ptr();
    side_by_side(shape, work, device.multiprocessors(), device.stream());
    device.launched();
    return {context->needs_input_grad(0) ? at::mm(together, weight).view_as(saved[0]) : Tensor(),
            context->needs_input_grad(1) ? at::mm(together.t(), y) : Tensor(), bias_gradient,
            Tensor(), Tensor()};
  }
};

}  // namespace

bool fuses(const Tensor& x) {
  if (!x.is_cuda() || x.size(-1) % 8 != 0 || x.size(-1) > kMaxNormWidth) return false;
  return x.scalar_type() == torch::kBFloat16 ||
         (x.scalar_type() == torch::kFloat32 && autocast_to_bfloat16());
}

std::pair<Tensor, Tensor> add_norm(const Tensor& x, const Tensor& branch, const Tensor& bias,
                                   const Tensor& weight, const Tensor& shift, double epsilon) {
  const auto both = AddNormFunction::apply(x, branch, bias, weight, shift, epsilon);
  return {both[0], both[1]};
}

Tensor bias_gelu(const Tensor& h, const Tensor& bias) { return BiasGeluFunction::apply(h, bias); }

std::vector<Tensor> project_heads(const Tensor& y, const Tensor& weight, const Tensor& bias,
                                  std::int64_t heads, std::int64_t parts) {
  return ProjectHeadsFunction::apply(y, weight, bias, heads, parts);
}

Tensor normalise(const Tensor& pixels, const float scale[3], const float shift[3],
                 torch::ScalarType type) {
  const auto address = reinterpret_cast<std::uintptr_t>(pixels.data_ptr());
  if (pixels.scalar_type() != torch::kUInt8 || !pixels.is_contiguous() || address % 16 != 0 ||
      pixels.numel() % 8 != 0 || (type != torch::kFloat32 && type != torch::kBFloat16))
    return {};
  const OnDevice device(pixels);
  Tensor values = at::empty(pixels.sizes(), pixels.options().dtype(type));
  normalise(pixels.data_ptr<std::uint8_t>(), pixels.numel(), scale, shift, type == torch::kFloat32,
            values.data_ptr(), device.stream());
  device.launched();
  return values;
}

}  // namespace paco::embed::cuda
