// libtorch's c10d behind ProcessGroup. Its headers come with libtorch; the headers of gloo itself
// (Debian's libgloo-dev) and of NCCL may not be there, and then that kind of group is refused by
// name.
#include "train/distributed.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <type_traits>

#include "embed/torch/torch_net.hpp"

#if __has_include(<torch/csrc/distributed/c10d/TCPStore.hpp>)
#ifndef USE_C10D_GLOO
#define USE_C10D_GLOO
#endif
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#if __has_include(<gloo/algorithm.h>)
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#define PACO_GLOO 1
#endif
#if defined(PACO_CUDA) && __has_include(<nccl.h>)
#ifndef USE_C10D_NCCL
#define USE_C10D_NCCL
#endif
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#define PACO_NCCL 1
#endif
#endif

namespace paco::train {
namespace {

class SingleProcess final : public ProcessGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(torch::Tensor&) override {}
  std::vector<torch::Tensor> gather(const torch::Tensor& tensor) override { return {tensor}; }
};

#if defined(PACO_GLOO) || defined(PACO_NCCL)
// `Backend` is one of c10d's process groups.
template <class Backend>
class C10dGroup final : public ProcessGroup {
 public:
  C10dGroup(c10::intrusive_ptr<Backend> backend, int rank, int size)
      : backend_(std::move(backend)), rank_(rank), size_(size) {}
  ~C10dGroup() override {
#ifdef PACO_NCCL
    // Gloo ends by itself; NCCL has to be ended.
    if constexpr (std::is_same_v<Backend, c10d::ProcessGroupNCCL>) backend_->shutdown();
#endif
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void sum(torch::Tensor& tensor) override {
    std::vector<torch::Tensor> tensors{tensor};
    backend_->allreduce(tensors)->wait();
  }
  std::vector<torch::Tensor> gather(const torch::Tensor& tensor) override {
    std::vector<torch::Tensor> inputs{tensor.contiguous()};
    std::vector<std::vector<torch::Tensor>> outputs(1);
    for (int i = 0; i < size_; ++i) outputs[0].push_back(torch::empty_like(inputs[0]));
    backend_->allgather(outputs, inputs)->wait();
    return outputs[0];
  }

 private:
  c10::intrusive_ptr<Backend> backend_;
  int rank_, size_;
};

c10::intrusive_ptr<c10d::Store> meet(const GroupOptions& options) {
  c10d::TCPStoreOptions store;
  store.port = static_cast<std::uint16_t>(options.port);
  store.isServer = options.rank == 0;
  store.numWorkers = static_cast<std::size_t>(options.size);
  store.timeout = std::chrono::seconds(options.timeout_seconds);
  return c10::make_intrusive<c10d::TCPStore>(options.address, store);
}
#endif

Error not_built(const char* kind, const char* headers) {
  return Error{ErrorCode::unsupported,
               fmt::format("this build has no {} processes work through", kind),
               fmt::format("build paco again where {} are installed", headers)};
}

Result<std::unique_ptr<ProcessGroup>> join(const GroupOptions& options,
                                           const torch::Device& device) {
  const auto timeout = std::chrono::milliseconds(1000L * options.timeout_seconds);
  if (device.is_cuda()) {
#ifdef PACO_NCCL
    auto nccl = c10d::ProcessGroupNCCL::Options::create();
    nccl->timeout = timeout;
    auto backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(meet(options), options.rank,
                                                               options.size, nccl);
    return std::unique_ptr<ProcessGroup>(
        std::make_unique<C10dGroup<c10d::ProcessGroupNCCL>>(backend, options.rank, options.size));
#else
    return not_built("NCCL, which GPU", "the headers of NCCL (nccl.h)");
#endif
  }
#ifdef PACO_GLOO
  auto gloo = c10d::ProcessGroupGloo::Options::create(timeout);
  // Uses the interface that leads to rank 0. On one machine that is loopback, whatever the host
  // name resolves to.
  gloo->devices.push_back(options.address == "127.0.0.1" || options.address == "localhost"
                              ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                              : c10d::ProcessGroupGloo::createDefaultDevice());
  auto backend =
      c10::make_intrusive<c10d::ProcessGroupGloo>(meet(options), options.rank, options.size, gloo);
  return std::unique_ptr<ProcessGroup>(
      std::make_unique<C10dGroup<c10d::ProcessGroupGloo>>(backend, options.rank, options.size));
#else
  (void)timeout;
  return not_built("gloo, which CPU", "the headers of gloo (Debian: libgloo-dev)");
#endif
}

}  // namespace

std::unique_ptr<ProcessGroup> single_process() { return std::make_unique<SingleProcess>(); }

Result<std::unique_ptr<ProcessGroup>> join_group(const GroupOptions& options,
                                                 const torch::Device& device) {
  if (options.size == 1) return single_process();
  try {
    return join(options, device);
  } catch (const std::exception& error) {
    auto wrong =
        embed::torch_error(error, fmt::format("meeting the other {} processes at {}:{}",
                                              options.size - 1, options.address, options.port));
    wrong.hint =
        "start every process within the timeout, with the same address and port and ranks 0, 1, "
        "...";
    return wrong;
  }
}

std::vector<std::int64_t> gather_counts(ProcessGroup& group, std::int64_t count,
                                        const torch::Device& device) {
  std::vector<std::int64_t> counts;
  for (const auto& value : group.gather(torch::full({1}, count, torch::kLong).to(device))) {
    counts.push_back(value.item<std::int64_t>());
  }
  return counts;
}

torch::Tensor gather_rows(ProcessGroup& group, const torch::Tensor& tensor,
                          const std::vector<std::int64_t>& counts) {
  if (group.size() == 1) return tensor;
  // The collectives want equal shapes: pad to the longest, cut afterwards.
  const auto longest = *std::max_element(counts.begin(), counts.end());
  auto shape = tensor.sizes().vec();
  shape[1] = longest;
  auto padded = torch::zeros(shape, tensor.options());
  padded.narrow(1, 0, tensor.size(1)).copy_(tensor);
  auto parts = group.gather(padded);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = parts[i].narrow(1, 0, counts[i]);
  return torch::cat(parts, 1);
}

}  // namespace paco::train
