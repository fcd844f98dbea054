// How fast a vision transformer runs here: class tokens per second, and training steps in images
// per second, with random weights and pixels that already lie on the device. The contender with the
// same shapes is vit_throughput.py; run both in one go with throughput.sh. Measures libtorch as
// paco uses it: the same network, the same trainer, no data loading.
//
//   vit_throughput [--backbone vit_b16] [--batch 256] [--seconds 5] [--device cuda]
// Newer libtorch brings an fmt of its own among its headers; none of it is linked here.
#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "represent/torch_net.hpp"
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

void report(const std::string& what, double images_per_second) {
  fmt::print("{{\"contender\": \"paco\", \"what\": \"{}\", \"images_per_second\": {:.1f}}}\n", what,
             images_per_second);
  std::fflush(stdout);
}

void class_tokens(const NetSpec& spec, const torch::Device& device, std::int64_t batch,
                  double seconds) {
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
  report("class tokens", rate(device, static_cast<double>(batch), seconds, body));
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
  report("class tokens, CUDA graph", rate(device, static_cast<double>(batch), seconds, replay));
#endif
}

// A step is two views of batch / 2 samples, as training has it: `batch` images through the network.
void training_step(const NetSpec& spec, const torch::Device& device, std::int64_t batch,
                   double seconds, Precision precision) {
  TrainOptions options;
  options.precision = precision;
  auto made = make_net(spec, 0);
  if (!made.ok()) throw std::runtime_error(made.error().message);
  Trainer trainer(*made, kClasses, options, device, single_process());
  const auto pixels = torch::randint(0, 256, {2, batch / 2, spec.input, spec.input, 3})
                          .to(torch::kUInt8)
                          .to(device);
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < batch / 2; ++i) labels.push_back(i % kClasses);
  const auto body = [&] { trainer.step(pixels, labels, Random(0), 1.0); };
  report(fmt::format("training step, {}", precision_name(precision)),
         rate(device, static_cast<double>(batch), seconds, body));
}

int run(int argc, char** argv) {
  std::map<std::string, std::string> options{
      {"--backbone", "vit_b16"}, {"--batch", "256"}, {"--seconds", "5"}, {"--device", "cuda"}};
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  const auto spec = make_spec(options["--backbone"]);
  const auto device = parse_device(options["--device"]);
  if (!spec.ok() || !device.ok()) {
    fmt::print(stderr, "{}\n", spec.ok() ? device.error().message : spec.error().message);
    return 2;
  }
  const auto batch = std::stol(options["--batch"]);
  const double seconds = std::stod(options["--seconds"]);
  class_tokens(*spec, *device, batch, seconds);
  if (!device->is_cuda()) {
    training_step(*spec, *device, batch, seconds, Precision::float32);
    return 0;
  }
  training_step(*spec, *device, batch, seconds, Precision::mixed);
  training_step(*spec, *device, batch, seconds, Precision::bf16);
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
