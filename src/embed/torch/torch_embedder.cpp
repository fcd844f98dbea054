// The only place where a batch of pixels meets a network outside of training. Includes torch.
#include "embed/torch/torch_embedder.hpp"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <torch/torch.h>
#include <torch/version.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <deque>
#include <optional>
#include <thread>

#include "core/try.hpp"
#include "embed/torch/batch_fit.hpp"
#include "embed/torch/torch_net.hpp"
#include "embed/weights/run_folder.hpp"

namespace paco::embed {
namespace {

using torch::Tensor;

// Embeddings on their way back from the device.
struct Pending {
  Tensor embeddings;  // (B, d) float32 in host memory, not to be read before `done`
  std::optional<c10::Event> done;
  std::shared_ptr<std::uint8_t[]> pixels;  // alive until then

  void wait() {
    if (!done) return;
#if TORCH_VERSION_MAJOR >= 2
    done->synchronize();
#else
    while (!done->query()) std::this_thread::yield();
#endif
  }
};

class TorchEmbedder final : public ImageEmbedder {
 public:
  struct State;
  static std::unique_ptr<ImageEmbedder> make(std::unique_ptr<State> state);

  const NetSpec& spec() const override;
  const std::vector<std::string>& class_names() const override;
  const math::Matrix<float>& classifier() const override;
  const std::vector<std::string>& ignored_tensors() const override;
  std::uint64_t fingerprint() const override;
  Result<void> submit(const Batch& batch) override;
  Result<void> collect(Rows<float> out) override;
  std::function<std::shared_ptr<std::uint8_t[]>(std::size_t)> allocator() const override;

 private:
  explicit TorchEmbedder(std::unique_ptr<State> state) : state_(std::move(state)) {}
  std::unique_ptr<State> state_;
};

struct TorchEmbedder::State {
  std::shared_ptr<Net> net;
  torch::Device device{torch::kCPU};
  torch::ScalarType type = torch::kFloat32;
  std::vector<std::string> class_names;
  math::Matrix<float> classifier;
  std::vector<std::string> ignored;
  std::deque<Pending> pending;  // submitted, not collected

  // Moves the network to the device and the number type of the settings.
  Result<void> prepare(const EmbedderSettings& settings) {
    PACO_ASSIGN(device, parse_device(settings.device));
    if (settings.precision == "bfloat16" || (settings.precision == "auto" && device.is_cuda())) {
      type = torch::kBFloat16;
    } else if (settings.precision != "float32" && settings.precision != "auto") {
      return Error{ErrorCode::bad_argument,
                   fmt::format("there is no precision \"{}\"", settings.precision),
                   "use auto, float32 or bfloat16"};
    }
    if (settings.threads > 0) at::set_num_threads(static_cast<int>(settings.threads));
    try {
      net->eval();
      net->to(device, type);
      if (net->spec.kind == BackboneKind::small) {
        torch::NoGradGuard no_gradient;
        for (auto& parameter : net->parameters())
          if (parameter.dim() == 4)
            parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
      }
    } catch (const std::exception& error) {
      return torch_error(error, fmt::format("moving the network to {}", settings.device));
    }
    return {};
  }

  // Starts the work; on a GPU it returns before the work is done.
  Pending start(const std::shared_ptr<std::uint8_t[]>& pixels, std::size_t count) {
    const torch::InferenceMode inference;
    const std::int64_t side = net->spec.input, rows = static_cast<std::int64_t>(count);
    const Tensor host = torch::from_blob(pixels.get(), {rows, side, side, 3}, torch::kUInt8);
    const Tensor images = normalise_pixels(host.to(device, true), net->spec.normalisation, type);
    const Tensor embeddings = net->forward(images).to(torch::kFloat32);
    Pending result;
    result.pixels = pixels;
    if (device.is_cpu()) {
      result.embeddings = embeddings.contiguous();
      return result;
    }
    result.embeddings =
        torch::empty(embeddings.sizes(), torch::TensorOptions(torch::kFloat32).pinned_memory(true));
    result.embeddings.copy_(embeddings, true);
    result.done.emplace(device.type());
    result.done->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
    return result;
  }

  Error out_of_memory(const std::shared_ptr<std::uint8_t[]>& pixels, std::size_t count) {
    const std::size_t fits = largest_batch_that_fits(count, [&](std::size_t smaller) {
      try {
        start(pixels, smaller).wait();
        return true;
      } catch (const std::exception&) {
        return false;
      }
    });
    return Error{ErrorCode::out_of_memory,
                 fmt::format("a batch of {} images does not fit into the device's memory", count),
                 fits > 0 ? fmt::format("use --batch {}, which fits", fits)
                          : "not even one image fits: use a smaller backbone or another device"};
  }
};

std::unique_ptr<ImageEmbedder> TorchEmbedder::make(std::unique_ptr<State> state) {
  return std::unique_ptr<ImageEmbedder>(new TorchEmbedder(std::move(state)));
}

}  // namespace

Result<std::unique_ptr<ImageEmbedder>> open_torch_run(const std::string& path,
                                                      const EmbedderSettings& settings) {
  PACO_ASSIGN(TrainedRun run, read_run(path));
  auto state = std::make_unique<TorchEmbedder::State>();
  state->class_names = std::move(run.class_names);
  StateDict weights;
  for (NamedTensor& tensor : run.tensors) {
    if (tensor.name == "classifier.weight")
      state->classifier = math::Matrix<float>(tensor.shape[0], tensor.shape[1],
                                              {tensor.values.begin(), tensor.values.end()});
    else
      weights.push_back(std::move(tensor));
  }
  PACO_ASSIGN(state->net, make_net(run.net, 0));
  PACO_TRY(load_module(*state->net, weights, path));
  PACO_TRY(state->prepare(settings));
  return TorchEmbedder::make(std::move(state));
}

Result<std::unique_ptr<ImageEmbedder>> open_torch_backbone(const NetSpec& spec,
                                                           const std::string& weights,
                                                           const EmbedderSettings& settings) {
  auto state = std::make_unique<TorchEmbedder::State>();
  NetSpec bare = spec;
  bare.dimension = 0;
  if (weights.empty()) {
    PACO_ASSIGN(state->net, make_net(bare, 0));
  } else {
    PACO_ASSIGN(const StateDict tensors, read_weights(weights));
    PACO_ASSIGN(bare, fit_spec(bare, tensors, weights));
    PACO_ASSIGN(state->net, make_net(bare, 0));
    PACO_ASSIGN(LoadReport report, load_backbone(*state->net->backbone, tensors, weights));
    state->ignored = std::move(report.ignored);
  }
  PACO_TRY(state->prepare(settings));
  return TorchEmbedder::make(std::move(state));
}

const NetSpec& TorchEmbedder::spec() const { return state_->net->spec; }
const std::vector<std::string>& TorchEmbedder::class_names() const { return state_->class_names; }
const math::Matrix<float>& TorchEmbedder::classifier() const { return state_->classifier; }
const std::vector<std::string>& TorchEmbedder::ignored_tensors() const { return state_->ignored; }

std::uint64_t TorchEmbedder::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a, a number at a time
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3ull; };
  for (const char character : spec_to_json(spec())) mix(static_cast<unsigned char>(character));
  mix(static_cast<std::uint64_t>(state_->type));
  for (const NamedTensor& tensor : state_of(*state_->net))
    for (const float value : tensor.values) mix(std::bit_cast<std::uint32_t>(value));
  return hash;
}

Result<void> TorchEmbedder::submit(const Batch& batch) {
  assert(batch.input == spec().input);
  if (batch.samples.empty()) {
    state_->pending.push_back({torch::empty({0, spec().embedding()}), std::nullopt, nullptr});
    return {};
  }
  bool memory = false;
  std::optional<Error> failure;
  try {
    state_->pending.push_back(state_->start(batch.pixels, batch.samples.size()));
  } catch (const std::exception& error) {
    memory = is_out_of_memory(error);
    failure = torch_error(error, "embedding a batch");
  }
  if (memory) return state_->out_of_memory(batch.pixels, batch.samples.size());
  if (failure) return *failure;
  return {};
}

Result<void> TorchEmbedder::collect(Rows<float> out) {
  assert(!state_->pending.empty());
  Pending pending = std::move(state_->pending.front());
  state_->pending.pop_front();
  try {
    pending.wait();
  } catch (const std::exception& error) {
    return torch_error(error, "embedding a batch");
  }
  assert(static_cast<std::size_t>(pending.embeddings.numel()) == out.rows * out.columns);
  const float* values = pending.embeddings.data_ptr<float>();
  std::copy(values, values + out.rows * out.columns, out.data);
  return {};
}

std::function<std::shared_ptr<std::uint8_t[]>(std::size_t)> TorchEmbedder::allocator() const {
  if (state_->device.is_cpu()) return {};
  return [](std::size_t bytes) {
    const Tensor memory = torch::empty({static_cast<std::int64_t>(bytes)},
                                       torch::TensorOptions(torch::kUInt8).pinned_memory(true));
    return std::shared_ptr<std::uint8_t[]>(memory.data_ptr<std::uint8_t>(),
                                           [memory](std::uint8_t*) {});
  };
}

}  // namespace paco::embed
