// How fast a vision transformer runs here: class tokens per second, and training steps in images
// per second, with random weights and pixels that already lie on the device. The contender with the
// same shapes is vit_throughput.py; run both in one go with throughput.sh. Measures libtorch as
// paco uses it: the same network, the same trainer, no data loading. Before it times anything it
// compares: tokens and gradients in bfloat16 with those in float32, where torch's own operations
// run.
//
//   vit_throughput [--backbone vit_b16] [--batch 256] [--seconds 5] [--device cuda]
//                  [--what all|compare|tokens|mixed|bf16|float32]
// Newer libtorch brings an fmt of its own among its headers; none of it is linked here.
#define FMT_HEADER_ONLY
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "embed/torch/torch_net.hpp"
#include "train/trainer.hpp"
#ifdef PACO_CUDA
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace paco {
namespace {

constexpr int kClasses = 100;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void wait(const torch::Device& device) {
  if (device.is_cuda()) torch::cuda::synchronize();
}

// Images per second of `body`, which handles `images` at a time: after three calls to warm up, the
// best of five equal parts of the time given.
double rate(const torch::Device& device, double images, double seconds,
            const std::function<void()>& body) {
  for (int i = 0; i < 3; ++i) body();
  wait(device);
  double best = 0;
  for (int part = 0; part < 5; ++part) {
    const double start = now();
    double done = 0;
    do {
      for (int i = 0; i < 4; ++i, done += images) body();
      wait(device);
    } while (now() - start < seconds / 5);
    best = std::max(best, done / (now() - start));
  }
  return best;
}

// One line of JSON: `value` is a pair of key and number.
struct Report {
  std::string backbone;
  std::int64_t batch;
  void operator()(const std::string& what, const std::string& value) const {
    fmt::print(
        "{{\"contender\": \"paco\", \"backbone\": \"{}\", \"batch\": {}, \"what\": \"{}\", {}}}\n",
        backbone, batch, what, value);
    std::fflush(stdout);
  }
  void rate(const std::string& what, double images_per_second) const {
    (*this)(what, fmt::format("\"images_per_second\": {:.1f}", images_per_second));
  }
};

// |a - b| / |b|.
double relative_error(const torch::Tensor& a, const torch::Tensor& b) {
  const auto exact = b.to(torch::kFloat64);
  return ((a.to(torch::kFloat64) - exact).norm() / exact.norm()).item<double>();
}

std::shared_ptr<Net> fresh_net(const NetSpec& spec) {
  auto made = make_net(spec, 0);
  if (!made.ok()) throw std::runtime_error(made.error().message);
  torch::NoGradGuard no_gradient;
  // Norms and biases that are not one and zero, so that a lost one shows.
  for (auto& item : (*made)->named_parameters())
    if (item.value().dim() == 1)
      item.value().add_(0.1 *
                        torch::randn(item.value().sizes(), at::detail::createCPUGenerator(1)));
  return *made;
}

torch::Tensor some_pixels(const NetSpec& spec, std::vector<std::int64_t> shape) {
  for (const std::int64_t size : {spec.input, spec.input, 3}) shape.push_back(size);
  return torch::randint(0, 256, shape, at::detail::createCPUGenerator(2)).to(torch::kUInt8);
}

// Gradients of one step on a few images, by parameter.
std::map<std::string, torch::Tensor> gradients(const NetSpec& spec, const torch::Device& device,
                                               Precision precision) {
  TrainOptions options;
  options.precision = precision;
  options.use_margin = false;  // the network is compared, not the loss
  Trainer trainer(fresh_net(spec), kClasses, options, device, single_process());
  trainer.gradient(some_pixels(spec, {2, 8}).to(device), {0, 0, 1, 1, 2, 2, 3, 3}, Random(0));
  std::map<std::string, torch::Tensor> result;
  for (auto& item : trainer.net().named_parameters()) result[item.key()] = item.value().grad();
  return result;
}

// Rounding to bfloat16 moves tokens and gradients by less than a hundredth; a wrong formula moves
// them by their own size.
void compare(const NetSpec& spec, const torch::Device& device, const Report& report) {
  {
    const torch::InferenceMode inference;
    const auto pixels = some_pixels(spec, {8}).to(device);
    const auto tokens = [&](torch::ScalarType type) {
      const auto net = fresh_net(spec);
      net->eval();
      net->to(device, type);
      return net->forward(normalise_pixels(pixels, spec.normalisation, type));
    };
    const double error = relative_error(tokens(torch::kBFloat16), tokens(torch::kFloat32));
    report("class tokens, relative error", fmt::format("\"error\": {:.2g}", error));
    if (!(error < 0.02))
      throw std::runtime_error(fmt::format("tokens in bfloat16 are off by {}", error));
  }
  const auto exact = gradients(spec, device, Precision::float32);
  for (const auto precision : {Precision::mixed, Precision::bf16}) {
    const auto found = gradients(spec, device, precision);
    double worst = 0;
    std::string where;
    for (const auto& [name, gradient] : exact) {
      // A bias of the keys moves no attention: its gradient is rounding alone.
      auto ours = found.at(name), theirs = gradient;
      if (name.ends_with("qkv.bias")) {
        const auto width = theirs.size(0) / 3;
        ours = torch::cat({ours.narrow(0, 0, width), ours.narrow(0, 2 * width, width)});
        theirs = torch::cat({theirs.narrow(0, 0, width), theirs.narrow(0, 2 * width, width)});
      }
      const double error = relative_error(ours, theirs);
      if (!(error <= worst)) worst = error, where = name;
    }
    report(fmt::format("gradient, {}, largest relative error", precision_name(precision)),
           fmt::format("\"error\": {:.2g}, \"parameter\": \"{}\"", worst, where));
    if (!(worst < 0.03))
      throw std::runtime_error(fmt::format("the gradient of {} is off by {}", where, worst));
  }
}

void class_tokens(const NetSpec& spec, const torch::Device& device, double seconds,
                  const Report& report) {
  const auto batch = report.batch;
  NetSpec bare = spec;
  bare.dimension = 0;
  auto made = make_net(bare, 0);
  if (!made.ok()) throw std::runtime_error(made.error().message);
  auto& net = **made;
  const auto type = device.is_cuda() ? torch::kBFloat16 : torch::kFloat32;
  net.eval();
  net.to(device, type);
  const torch::InferenceMode inference;
  const auto pixels =
      torch::randint(0, 256, {batch, spec.input, spec.input, 3}).to(torch::kUInt8).to(device);
  torch::Tensor tokens;
  const auto body = [&] {
    tokens = net.forward(normalise_pixels(pixels, spec.normalisation, type));
  };
  report.rate("class tokens", rate(device, static_cast<double>(batch), seconds, body));
#ifdef PACO_CUDA
  // The same with the network's launches recorded once and replayed: what remains when launching
  // costs nothing.
  if (!device.is_cuda()) return;
  const auto plain = tokens.to(torch::kFloat32).clone();
  const c10::cuda::CUDAStreamGuard stream(c10::cuda::getStreamFromPool());
  auto images = normalise_pixels(pixels, spec.normalisation, type).clone();
  for (int i = 0; i < 3; ++i) tokens = net.forward(images);
  torch::cuda::synchronize();
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  tokens = net.forward(images);
  graph.capture_end();
  const auto replay = [&] {
    images.copy_(normalise_pixels(pixels, spec.normalisation, type));
    graph.replay();
  };
  replay();
  torch::cuda::synchronize();
  const double error = (tokens.to(torch::kFloat32) - plain).abs().max().item<double>();
  if (!(error < 0.1))  // tokens are of the order of 1, in bfloat16
    throw std::runtime_error(
        fmt::format("the recorded graph gives other tokens, off by {}", error));
  report.rate("class tokens, CUDA graph",
              rate(device, static_cast<double>(batch), seconds, replay));
#endif
}

// A step is two views of batch / 2 samples, as training has it: `batch` images through the network.
void training_step(const NetSpec& spec, const torch::Device& device, double seconds,
                   Precision precision, const Report& report) {
  const auto batch = report.batch;
  TrainOptions options;
  options.precision = precision;
  options.clip = 5;  // as the contender
  auto made = make_net(spec, 0);
  if (!made.ok()) throw std::runtime_error(made.error().message);
  Trainer trainer(*made, kClasses, options, device, single_process());
  const auto pixels = torch::randint(0, 256, {2, batch / 2, spec.input, spec.input, 3})
                          .to(torch::kUInt8)
                          .to(device);
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < batch / 2; ++i) labels.push_back(i % kClasses);
  const auto body = [&] { trainer.step(pixels, labels, Random(0), 1.0); };
  report.rate(fmt::format("training step, {}", precision_name(precision)),
              rate(device, static_cast<double>(batch), seconds, body));
}

int run(int argc, char** argv) {
  std::map<std::string, std::string> options{{"--backbone", "vit_b16"},
                                             {"--batch", "256"},
                                             {"--seconds", "5"},
                                             {"--device", "cuda"},
                                             {"--what", "all"}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  const auto spec = make_spec(options["--backbone"]);
  const auto device = parse_device(options["--device"]);
  if (!spec.ok() || !device.ok()) {
    fmt::print(stderr, "{}\n", spec.ok() ? device.error().message : spec.error().message);
    return 2;
  }
  const Report report{options["--backbone"], std::stol(options["--batch"])};
  const double seconds = std::stod(options["--seconds"]);
  const auto wanted = [&](const std::string& what) {
    return options["--what"] == "all" || options["--what"] == what;
  };
  if (device->is_cuda() && wanted("compare")) compare(*spec, *device, report);
  if (wanted("tokens")) class_tokens(*spec, *device, seconds, report);
  for (const auto precision : {Precision::float32, Precision::mixed, Precision::bf16}) {
    const bool on_cpu = precision == Precision::float32;
    if (on_cpu == device->is_cpu() && wanted(std::string(precision_name(precision))))
      training_step(*spec, *device, seconds, precision, report);
  }
  return 0;
}

}  // namespace
}  // namespace paco

int main(int argc, char** argv) {
  try {
    return paco::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
