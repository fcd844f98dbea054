#include "embed/torch/torch_net.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <cmath>

#include "embed/torch/torch_backbones.hpp"
#ifdef PACO_CUDA
#include "embed/torch/torch_vit_fused.hpp"
#endif

namespace paco::embed {
namespace {

using torch::Tensor;

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Fresh weights: transformers as DINO starts them (normal, 0.02, cut at two deviations); the small
// network uniform within one over the root of what a unit sees; norms and biases at one and zero as
// torch made them.
void initialise(Net& net, std::uint64_t seed) {
  torch::NoGradGuard no_gradient;
  at::Generator generator = at::detail::createCPUGenerator(seed);
  for (auto& item : net.named_parameters()) {
    Tensor& tensor = item.value();
    const std::string& name = item.key();
    if (ends_with(name, "bias")) {
      tensor.zero_();
    } else if (tensor.dim() >= 2 && net.spec.kind == BackboneKind::small) {
      const double reach = 1.0 / std::sqrt(static_cast<double>(tensor[0].numel()));
      tensor.uniform_(-reach, reach, generator);
    } else if (tensor.dim() >= 2) {
      tensor.normal_(0.0, 0.02, generator).clamp_(-0.04, 0.04);
    }
  }
}

}  // namespace

Net::Net(const NetSpec& spec_) : spec(spec_) {
  backbone = register_module("backbone",
                             spec.kind == BackboneKind::vit ? make_vit(spec) : make_small(spec));
  if (spec.dimension > 0)
    head = register_module("head", torch::nn::Linear(spec.features(), spec.dimension));
}

Tensor Net::forward(const Tensor& images) {
  const Tensor features = backbone->forward(images);
  return head ? head(features) : features;
}

Result<std::shared_ptr<Net>> make_net(const NetSpec& spec, std::uint64_t seed) {
  try {
    auto net = std::make_shared<Net>(spec);
    initialise(*net, seed);
    return net;
  } catch (const std::exception& error) {
    return torch_error(error, fmt::format("making the network {}", spec.backbone));
  }
}

Tensor normalise_pixels(const Tensor& pixels, const Normalisation& normalisation,
                        torch::ScalarType type) {
  // x / 255 and (x - mean) / deviation as one multiplication and one addition; in float32 and
  // rounded to `type` at the end.
  float scale[3], shift[3];
  for (int c = 0; c < 3; ++c) {
    scale[c] = 1.f / (255.f * normalisation.deviation[c]);
    shift[c] = -normalisation.mean[c] / normalisation.deviation[c];
  }
  const auto device = pixels.device();
#ifdef PACO_CUDA
  if (device.is_cuda()) {
    const auto values = cuda::normalise(pixels, scale, shift, type);
    if (values.defined()) return values.permute({0, 3, 1, 2});
  }
#endif
  // Copies through pinned memory, so that the CPU does not wait for the GPU.
  const auto upload = [&](float* values) {
    const auto host = torch::from_blob(values, {3}, torch::kFloat32);
    return device.is_cuda() ? host.pin_memory().to(device, true) : host.clone();
  };
  const auto scale_tensor = upload(scale), shift_tensor = upload(shift);
  return torch::addcmul(shift_tensor, pixels.to(torch::kFloat32), scale_tensor)
      .to(type)
      .permute({0, 3, 1, 2});
}

Result<torch::Device> parse_device(const std::string& text) {
  if (text == "cpu") return torch::Device(torch::kCPU);
  const bool numbered = text.rfind("cuda:", 0) == 0 && text.size() > 5 && text.size() < 8 &&
                        text.find_first_not_of("0123456789", 5) == std::string::npos;
  if (text != "cuda" && !numbered)
    return Error{ErrorCode::bad_argument, fmt::format("there is no device \"{}\"", text),
                 "use cpu, cuda, or cuda:N"};
  const int count = static_cast<int>(torch::cuda::device_count());
  const int index = numbered ? std::stoi(text.substr(5)) : 0;
  if (count == 0)
    return Error{ErrorCode::not_found, fmt::format("device {}: torch sees no GPU here", text),
                 "use --device cpu, or a build with a CUDA libtorch on a machine with a GPU"};
  if (index >= count)
    return Error{ErrorCode::not_found,
                 fmt::format("device {}: there are only {} GPUs", text, count),
                 fmt::format("use cuda:0 to cuda:{}", count - 1)};
  return torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(index));
}

bool is_out_of_memory(const std::exception& error) {
  const std::string_view text = error.what();
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         text.find("out of memory") != std::string_view::npos ||
         text.find("can't allocate memory") != std::string_view::npos ||
         text.find("not enough memory") != std::string_view::npos;
}

Error torch_error(const std::exception& error, const std::string& what) {
  const std::string text = error.what();
  const std::string first_line = text.substr(0, text.find('\n'));
  if (is_out_of_memory(error))
    return Error{ErrorCode::out_of_memory, fmt::format("{}: out of memory ({})", what, first_line),
                 "use a smaller --batch"};
  const bool nccl = text.find("NCCL error") != std::string::npos;
  return Error{
      ErrorCode::unsupported, fmt::format("{}: torch says: {}", what, first_line),
      nccl ? "each process needs a GPU of its own: give them different --device cuda:N" : ""};
}

}  // namespace paco::embed
